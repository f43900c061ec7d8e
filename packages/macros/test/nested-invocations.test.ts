import type { MacroInvocation, MacroLease } from "@sallyport/core";
import { type Bench, benches, invocation } from "./runtime.ts";

const { open, close } = benches();
afterAll(close);

/** Answers every call with a nested invocation. */
function nesting(bench: Bench, lease: MacroLease, inner: () => MacroInvocation) {
  return bench.host(async () => ({
    result:
      (
        await lease.invoke(
          inner(),
          bench.host(() => null),
        )
      ).result ?? null,
  }));
}

describe("nested invocations", () => {
  it("have runtimes of their own", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const inner = () =>
      invocation(
        "const before = typeof globalThis.secret; globalThis.secret = 2; Object.prototype.left = 3; JSON.stringify = null; return before;",
      );
    const outer =
      "globalThis.secret = 1; const inner = await call('Inner'); return [inner, globalThis.secret, {}.left ?? null, JSON.stringify(1)];";
    expect((await lease.invoke(invocation(outer), nesting(bench, lease, inner))).result).toEqual([
      "undefined",
      1,
      null,
      "1",
    ]);
    lease.release();
  });

  it("nest as deep as the server lets them", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    let depth = 0;
    const host = bench.host(async () => {
      depth += 1;
      return {
        result:
          depth < 8 ? ((await lease.invoke(invocation("return 1 + (await call('Again'));"), host)).result ?? null) : 0,
      };
    });
    expect((await lease.invoke(invocation("return 1 + (await call('Again'));"), host)).result).toBe(8);
    lease.release();
  });

  it("use up what the one around them may use", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const loop = () => invocation("for (;;);", { cpu: 60_000, timeout: 60_000 });
    await expect(
      lease.invoke(invocation("await call('Loop');", { cpu: 200, timeout: 20_000 }), nesting(bench, lease, loop)),
    ).rejects.toMatchObject({ kind: "cpu" });
    const idle = () => invocation("for (;;) await now();", { cpu: 60_000, timeout: 60_000, hostCalls: 1e9 });
    await expect(
      lease.invoke(
        invocation("await call('Idle');", { cpu: 20_000, timeout: 300, hostCalls: 1e9 }),
        nesting(bench, lease, idle),
      ),
    ).rejects.toMatchObject({ kind: "timeout" });
    lease.release();
  });

  it("are paid for by the one around them, however many they are", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const busy = () => invocation("const end = Date.now() + 60; while (Date.now() < end); return 1;");
    const many = "for (;;) await call('Busy');";
    await expect(
      lease.invoke(invocation(many, { cpu: 300, timeout: 60_000, hostCalls: 1e9 }), nesting(bench, lease, busy)),
    ).rejects.toMatchObject({ kind: "cpu" });
    lease.release();
  });

  it("call the host on the account of the one around them", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const inner = (calls: number) => () =>
      invocation(`for (let made = 0; made < ${calls}; made += 1) await now();`, { hostCalls: 1_000 });
    const outer = (calls: number) =>
      invocation(`for (let made = 0; made < ${calls}; made += 1) await call('Inner');`, { hostCalls: 20 });
    await expect(lease.invoke(outer(1), nesting(bench, lease, inner(20)))).rejects.toMatchObject({
      kind: "hostCalls",
      message: "called the host more than 19 times",
    });
    await expect(lease.invoke(outer(5), nesting(bench, lease, inner(4)))).rejects.toMatchObject({
      kind: "hostCalls",
      message: "called the host more than 20 times",
    });
    await expect(lease.invoke(outer(4), nesting(bench, lease, inner(4)))).resolves.toMatchObject({
      usage: { hostCalls: 4 },
    });
    lease.release();
  });

  it("that fail can be caught around them, and the lease stays sound", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const host = bench.host(async () => {
      await expect(
        lease.invoke(invocation("const all = []; for (;;) all.push([1]);", { cpu: 20_000 }), bench.host()),
      ).rejects.toMatchObject({ kind: "memory" });
      return { result: "failed" };
    });
    expect((await lease.invoke(invocation("return call('Hog');", { cpu: 20_000, timeout: 20_000 }), host)).result).toBe(
      "failed",
    );
    lease.release();
  });

  it("fall with the thread", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const stuck = () => invocation("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { cpu: 100 });
    await expect(
      lease.invoke(invocation("await call('Stuck');", { timeout: 20_000 }), nesting(bench, lease, stuck)),
    ).rejects.toMatchObject({ kind: "cpu" });
    await expect(lease.invoke(invocation("return 1;"), bench.host())).rejects.toMatchObject({ kind: "ended" });
    lease.release();
    expect(await bench.run("return 'another';")).toBe("another");
  });
});
