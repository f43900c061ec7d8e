import type { MacroEntry, MacroPlace } from "@sallyport/core";
import { type Bench, benches, entry } from "./runtime.ts";

const { open, close } = benches();
afterAll(close);

/** Answers every call with an entry inside of the place. */
function nesting(bench: Bench, place: MacroPlace, inner: () => MacroEntry) {
  return bench.host(async () => ({
    result:
      (
        await place.enter(
          inner(),
          bench.host(() => null),
        )
      ).result ?? null,
  }));
}

describe("entries inside of an entry", () => {
  it("have runtimes of their own", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const inner = () =>
      entry(
        "const before = typeof globalThis.secret; globalThis.secret = 2; Object.prototype.left = 3; JSON.stringify = null; return before;",
      );
    const outer =
      "globalThis.secret = 1; const inner = await call('Inner'); return [inner, globalThis.secret, {}.left ?? null, JSON.stringify(1)];";
    expect((await place.enter(entry(outer), nesting(bench, place, inner))).result).toEqual(["undefined", 1, null, "1"]);
    place.release();
  });

  it("nest as deep as the server lets them", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    let depth = 0;
    const host = bench.host(async () => {
      depth += 1;
      return {
        result: depth < 8 ? ((await place.enter(entry("return 1 + (await call('Again'));"), host)).result ?? null) : 0,
      };
    });
    expect((await place.enter(entry("return 1 + (await call('Again'));"), host)).result).toBe(8);
    place.release();
  });

  it("use up what the one around them may use", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const loop = () => entry("for (;;);", { cpu: 60_000, timeout: 60_000 });
    await expect(
      place.enter(entry("await call('Loop');", { cpu: 200, timeout: 20_000 }), nesting(bench, place, loop)),
    ).rejects.toMatchObject({ kind: "cpu" });
    const idle = () => entry("for (;;) await now();", { cpu: 60_000, timeout: 60_000, hostCalls: 1e9 });
    await expect(
      place.enter(
        entry("await call('Idle');", { cpu: 20_000, timeout: 300, hostCalls: 1e9 }),
        nesting(bench, place, idle),
      ),
    ).rejects.toMatchObject({ kind: "timeout" });
    place.release();
  });

  it("are paid for by the one around them, however many they are", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const busy = () => entry("const end = Date.now() + 60; while (Date.now() < end); return 1;");
    const many = "for (;;) await call('Busy');";
    await expect(
      place.enter(entry(many, { cpu: 300, timeout: 60_000, hostCalls: 1e9 }), nesting(bench, place, busy)),
    ).rejects.toMatchObject({ kind: "cpu" });
    place.release();
  });

  it("call the host on the account of the one around them", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const inner = (calls: number) => () =>
      entry(`for (let made = 0; made < ${calls}; made += 1) await now();`, { hostCalls: 1_000 });
    const outer = (calls: number) =>
      entry(`for (let made = 0; made < ${calls}; made += 1) await call('Inner');`, { hostCalls: 20 });
    await expect(place.enter(outer(1), nesting(bench, place, inner(20)))).rejects.toMatchObject({
      kind: "hostCalls",
      message: "called the host more than 19 times",
    });
    await expect(place.enter(outer(5), nesting(bench, place, inner(4)))).rejects.toMatchObject({
      kind: "hostCalls",
      message: "called the host more than 20 times",
    });
    await expect(place.enter(outer(4), nesting(bench, place, inner(4)))).resolves.toMatchObject({
      usage: { hostCalls: 4 },
    });
    place.release();
  });

  it("that fail can be caught around them, and the place is sound", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const host = bench.host(async () => {
      await expect(
        place.enter(entry("const all = []; for (;;) all.push([1]);", { cpu: 20_000 }), bench.host()),
      ).rejects.toMatchObject({ kind: "memory" });
      return { result: "failed" };
    });
    expect((await place.enter(entry("return call('Hog');", { cpu: 20_000, timeout: 20_000 }), host)).result).toBe(
      "failed",
    );
    place.release();
  });

  it("fall with the thread", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const stuck = () => entry("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { cpu: 100 });
    await expect(
      place.enter(entry("await call('Stuck');", { timeout: 20_000 }), nesting(bench, place, stuck)),
    ).rejects.toMatchObject({ kind: "cpu" });
    await expect(place.enter(entry("return 1;"), bench.host())).rejects.toMatchObject({ kind: "ended" });
    place.release();
    expect(await bench.run("return 'another';")).toBe("another");
  });
});
