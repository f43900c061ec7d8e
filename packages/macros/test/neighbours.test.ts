import { setTimeout as delay } from "node:timers/promises";
import type { HostCall, MacroHost } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { Invocation } from "../src/pool/invocation.ts";
import { Heartbeat, READY_PER_WORKER } from "../src/worker/messages.ts";
import { benches, caller, invocation, limits, macro } from "./runtime.ts";

describe("neighbours", () => {
  /** The effects that an execution can have on others in its worker. */

  const { open, close } = benches();
  afterAll(close);

  const STUCK = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);";
  const kindOf = ({ kind, code }: { readonly kind?: string; readonly code?: number }) => kind ?? code;

  describe("an inspected module that blocks its worker", () => {
    const inspectStuck = (runtime: ReturnType<typeof open>["runtime"]) =>
      runtime
        .inspect({ name: "Probe", code: `const a: number = 1;\n${STUCK}\n${macro("")}` }, "ts")
        .catch((error: { readonly kind?: string }) => error.kind);
    const body = "await call('Write'); await call('Wait');";

    it("repeats no started execution", async () => {
      const { bench, runtime } = open(1);
      await bench.run("return 1;");
      const effects: unknown[] = [];
      let stuck: Promise<unknown> = Promise.resolve();
      const answer = async ({ argument }: HostCall) => {
        effects.push((argument as { name: string }).name);
        // The execution waits in the worker when the module arrives.
        if (effects.length > 1) {
          stuck = inspectStuck(runtime);
          await stuck;
        }
        return {};
      };
      const written = await bench.run(body, { limits: { timeout: 60_000 }, answer }).catch(kindOf);
      expect([await stuck, written, effects]).toEqual(["cpu", "evicted", ["Write", "Wait"]]);
    });

    it("runs an execution that has not started once", async () => {
      const { bench, runtime } = open(1);
      await bench.run("return 1;");
      const effects: unknown[] = [];
      const stuck = inspectStuck(runtime);
      const answer = async ({ argument }: HostCall) => {
        effects.push((argument as { name: string }).name);
        if (effects.length > 1) await stuck;
        return {};
      };
      const written = await bench.run(body, { limits: { timeout: 60_000 }, answer }).catch(kindOf);
      expect([await stuck, written, effects]).toEqual(["cpu", undefined, ["Write", "Wait"]]);
    });
  });

  it("does not treat a waiting execution as silent while types are stripped", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    let answer = (): void => {};
    const waits = bench.run("return await now();", {
      limits: { cpu: 20, timeout: 60_000 },
      answer: () =>
        new Promise<string>((resolve) => {
          answer = () => resolve("answered");
        }),
    });
    await until(() => bench.calls.length > 0);
    const inspect = (code: string) => runtime.inspect({ name: "Probe", code: code + macro("") }, "ts").catch(kindOf);
    // The code for it is loaded on first use.
    await inspect("");
    void inspect("interface Long { a: string; b: { c: number } }\n".repeat(40_000));
    await delay(50);
    answer();
    expect(await waits).toBe("answered");
  });

  it("lets others continue when a caller that needs an exclusive worker gives up waiting", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    let isOver = false;
    const running = bench
      .run("const end = Date.now() + 1_500; while (Date.now() < end);", { limits: { cpu: 20_000, timeout: 20_000 } })
      .finally(() => (isOver = true));
    const alone = runtime.lease(20, true);
    const behind = runtime.lease(20_000, false);
    await expect(alone).rejects.toMatchObject({ code: 706 });
    const lease = await behind;
    expect(isOver).toBe(false);
    lease.release();
    await running;
  });

  it("does not exhaust the worker with a batch of large answers, and delivers the small one among them", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const many = 10;
    let arrived = 0;
    let go = (): void => {};
    const bothRunning = new Promise<void>((resolve) => {
      go = resolve;
    });
    const large = `${"x".repeat(13_000_000)}\u4e2d`;
    const ask = (result: string) =>
      bench
        .run("return (await call('Large')).length;", {
          limits: { cpu: 20_000, timeout: 60_000 },
          answer: async () => {
            if ((arrived += 1) === many + 1) go();
            await bothRunning;
            return { result };
          },
        })
        .catch(kindOf);
    const [small, ...others] = await Promise.all([ask("small"), ...Array.from({ length: many }, () => ask(large))]);
    expect([small, new Set(others)]).toEqual([5, new Set(["memory"])]);
  });

  it("refuses a lease that was lost on the way to another worker", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const running = bench.run("const end = Date.now() + 1_000; while (Date.now() < end);", {
      limits: { cpu: 20_000, timeout: 20_000 },
    });
    const lease = await runtime.lease(0, false);
    const others = await Promise.all(Array.from({ length: READY_PER_WORKER - 2 }, () => runtime.lease(0, false)));
    const queued = runtime.lease(20_000, false);
    await expect(lease.invoke(invocation("return 1;", { timeout: 50 }), bench.host())).rejects.toMatchObject({
      code: 706,
    });
    await expect(lease.invoke(invocation("return 1;"), bench.host())).rejects.toMatchObject({ kind: "evicted" });
    lease.release();
    await running;
    for (const other of [...others, await queued]) other.release();
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("does not count the time of others while later executions delay the first message", async () => {
    const host: MacroHost = { answer: async () => null, isCatchable: () => false, log: () => {} };
    const heartbeat = new Heartbeat();
    const slot = { post: () => {}, kill: () => {}, heartbeat };
    const options = {
      call: invocation("return 1;"),
      host,
      budget: limits,
      language: undefined,
      lease: {},
      isNext: false,
    };
    const running = new Invocation(1, slot, { ...options, onWait: () => {} });
    running.begin();
    // Another one has started since.
    heartbeat.begin(2, 0);
    await delay(50);
    expect(running.waited).toBeGreaterThanOrEqual(40);
    running.receive({
      type: "done",
      id: 1,
      waited: 7,
      cpu: 1,
      lines: [],
      result: "1",
      status: undefined,
      hostCalls: 0,
      code: undefined,
    });
    expect([running.waited, (await running.ended).result]).toEqual([7, 1]);
  });

  it("answers and runs every execution once despite lost workers and released leases", async () => {
    const { bench, runtime } = open(2, 500);
    const effects: number[] = [];
    const victim = async (number: number): Promise<unknown> => {
      const lease = await runtime.lease(60_000, number % 7 === 3);
      const inner = () => ({
        ...invocation("return input;", { timeout: 60_000 }),
        argument: { skipCheck: false, caller, input: number },
      });
      const host = bench.host(async ({ name, argument }) => {
        if (name !== "call") return number;
        effects.push((argument as { input: number }).input);
        await delay(number % 4);
        return { result: (await lease.invoke(inner(), bench.host())).result ?? null };
      });
      const execution = lease.invoke(
        {
          ...invocation(
            "const first = await now(); const own = await call('Write', input); return [first, own, await now()];",
            { timeout: 60_000 },
          ),
          argument: { skipCheck: false, caller, input: number },
        },
        host,
      );
      const outcome = execution.then(({ result }) => result, kindOf);
      if (number % 5 === 4) await delay(number % 9);
      else await outcome;
      lease.release();
      return outcome;
    };
    const stuck = () => bench.run(`await now(); ${STUCK}`, { limits: { cpu: 20 } }).catch(kindOf);
    const late = () =>
      runtime.inspect({ name: "Probe", code: `const a: number = 1;\nthrow a;\n${macro("")}` }, "ts").catch(kindOf);
    const all = Array.from({ length: 60 }, (_one, number) => victim(number));
    const hostile = [stuck(), late(), stuck(), late(), stuck()];
    const results = await Promise.all(all);
    expect(await Promise.all(hostile)).not.toContain("ended");
    for (const [number, result] of results.entries()) {
      if (Array.isArray(result)) expect(result).toEqual([number, number, number]);
      else expect(["evicted", "ended"]).toContain(result);
    }
    expect(effects.length).toBe(new Set(effects).size);
    expect(results.filter(Array.isArray).length).toBeGreaterThan(0);
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });
});
