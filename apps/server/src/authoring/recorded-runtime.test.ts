import type { MacroInvocation, MacroHost, MacroLease, MacroRuntime } from "@sallyport/core";
import { RecordedRuntime } from "./recorded-runtime.ts";

const limits = { cpu: 1, timeout: 1, memory: 1, hostCalls: 1, resultBytes: 1 };
const invocationOf = (name: string): MacroInvocation => ({
  module: { name, code: "", checksInput: false },
  driver: "run",
  argument: null,
  limits,
});

/** A runtime whose every module asks for what its name says. */
const asking: MacroRuntime = {
  inspect: () => Promise.reject(new Error("not asked")),
  lease: async () => ({
    waited: 0,
    invoke: async ({ module: { name } }: MacroInvocation, host: MacroHost) => {
      host.log(`${name} begins`);
      return {
        result: await host.answer({ name, argument: null }),
        statusMessage: undefined,
        usage: { cpu: 2, hostCalls: 1 },
      };
    },
    release: () => {},
  }),
  load: { busy: 0, waiting: 0 },
  close: async () => {},
};

test("what macros in macros ask for is written down in order, with its depth", async () => {
  const runtime = new RecordedRuntime(asking);
  const lease: MacroLease = await runtime.lease(0, false);
  const inner: MacroHost = { answer: async () => 7, isCatchable: () => false, log: () => {} };
  const outer: MacroHost = { ...inner, answer: async () => (await lease.invoke(invocationOf("Inner"), inner)).result };
  await expect(lease.invoke(invocationOf("Outer"), outer)).resolves.toMatchObject({ result: 7 });

  const { calls, lines, cpu } = runtime.take();
  expect(calls.map(({ macro, depth, name, error }) => ({ macro, depth, name, error }))).toEqual([
    { macro: "Outer", depth: 0, name: "Outer", error: undefined },
    { macro: "Inner", depth: 1, name: "Inner", error: undefined },
  ]);
  expect(calls[0]?.milliseconds).toBeGreaterThanOrEqual(calls[1]?.milliseconds ?? Number.NaN);
  expect(lines).toEqual([
    { macro: "Outer", text: "Outer begins" },
    { macro: "Inner", text: "Inner begins" },
  ]);
  expect(cpu).toBe(4);
  expect(runtime.take()).toEqual({ calls: [], lines: [], cpu: 0 });
});

test("what the host throws is written down and thrown on", async () => {
  const runtime = new RecordedRuntime(asking);
  const lease = await runtime.lease(0, false);
  const error = new Error("refused");
  const host: MacroHost = { answer: () => Promise.reject(error), isCatchable: () => true, log: () => {} };
  await expect(lease.invoke(invocationOf("Outer"), host)).rejects.toBe(error);
  expect(runtime.take().calls).toMatchObject([{ name: "Outer", error }]);
});
