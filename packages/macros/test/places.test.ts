import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { MacroEntry, MacroPlace } from "@sallyport/core";
import { EXECUTIONS_OF_THREAD, READY_OF_THREAD } from "../src/threads/messages.ts";
import { Bench, benches, caller, entry } from "./runtime.ts";

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

describe("places", () => {
  it("are as many as threads have before them; others wait, so long and so many", async () => {
    const { runtime } = open(2, 1);
    const busy = 2 * READY_OF_THREAD;
    const places = await Promise.all(Array.from({ length: busy }, () => runtime.reserve(0, false)));
    const waits = runtime.reserve(30_000, false);
    expect(runtime.load).toEqual({ busy, waiting: 1 });
    await expect(runtime.reserve(1_000, false)).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    places[0]?.release();
    places[0]?.release();
    const third = await waits;
    expect(runtime.load).toEqual({ busy, waiting: 0 });
    await expect(runtime.reserve(5, false)).rejects.toMatchObject({ code: 706 });
    for (const place of [...places.slice(1), third]) place.release();
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("cannot be entered once they are given back", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    place.release();
    await expect(place.enter(entry("return 1;"), bench.host())).rejects.toMatchObject({ kind: "ended" });
  });

  it("given back while something runs in them end it", async () => {
    const { bench, runtime } = open(1);
    const place = await runtime.reserve(1_000, false);
    const running = place.enter(entry("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
    place.release();
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 1;")).toBe(1);
  });

  it("given back while something waits in them keep their thread", async () => {
    if (process.platform !== "linux") return;
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const threads = () => readdirSync("/proc/self/task").toSorted();
    const before = threads();
    for (let round = 0; round < 5; round += 1) {
      const place = await runtime.reserve(1_000, false);
      const running = place.enter(
        entry("await now(); return await now();"),
        bench.host(() => delay(20, null)),
      );
      if (round % 2 === 1) await delay(5);
      place.release();
      await expect(running).rejects.toMatchObject({ kind: "ended" });
      expect(await bench.run("return input;", { input: round })).toBe(round);
    }
    expect(threads()).toEqual(before);
  });

  it("given back while the host is at work for them are soon there again, whatever the host does", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    let answer = (_value: null): void => {};
    const place = await runtime.reserve(1_000, false);
    let running: Promise<unknown> = Promise.resolve();
    await new Promise<void>((asked) => {
      const host = bench.host(() => {
        asked();
        return new Promise<null>((resolve) => {
          answer = resolve;
        });
      });
      running = place.enter(entry("return await now();"), host);
    });
    place.release();
    expect(await bench.run("return 2;")).toBe(2);
    answer(null);
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 3;")).toBe(3);
  });

  it("given back while something runs in them keep their thread, and what waits in it", async () => {
    if (process.platform !== "linux") return;
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const threads = () => readdirSync("/proc/self/task").toSorted();
    const before = threads();
    let answer = (_value: string): void => {};
    const waits = bench.run("return await now();", {
      answer: () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
    });
    const place = await runtime.reserve(1_000, false);
    const running = place.enter(entry("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
    await delay(50);
    const began = performance.now();
    place.release();
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 2;")).toBe(2);
    expect(performance.now() - began).toBeLessThan(20_000);
    answer("late");
    expect(await waits).toBe("late");
    expect(threads()).toEqual(before);
  });

  it("share a thread while the host is at work for them, so many at a time", async () => {
    const { bench, runtime } = open(1);
    const answers: (() => void)[] = [];
    const asked = (): Promise<string> =>
      new Promise((resolve) => {
        answers.push(() => resolve("answered"));
      });
    const waiting = Array.from({ length: EXECUTIONS_OF_THREAD }, () =>
      bench.run("return await now();", { answer: asked }),
    );
    while (answers.length < EXECUTIONS_OF_THREAD) await delay(5);
    expect(runtime.load).toEqual({ busy: EXECUTIONS_OF_THREAD, waiting: 0 });
    const next = bench.run("return 'next';");
    await delay(20);
    expect(runtime.load).toEqual({ busy: EXECUTIONS_OF_THREAD, waiting: 1 });
    answers[3]?.();
    expect(await next).toBe("next");
    for (const answer of answers.toReversed()) answer();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => "answered"));
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("begin in a thread one after the other, a few of them right behind what runs", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const running = Array.from({ length: READY_OF_THREAD }, () =>
      bench.run("const began = Date.now(); while (Date.now() < began + 100); return [began, Date.now()];"),
    );
    await delay(20);
    await expect(runtime.reserve(20, false)).rejects.toMatchObject({ code: 706 });
    const times = (await Promise.all(running)) as [number, number][];
    for (const [index, [began]] of times.entries()) expect(began).toBeGreaterThanOrEqual(times[index - 1]?.[1] ?? 0);
  });

  it("lose what waits in them when another is stuck, which says that it could not help it", async () => {
    const { bench } = open(1);
    const waits = bench.run("return await now();", { answer: () => delay(2_000, null) });
    while (bench.calls.length === 0) await delay(5);
    const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
    await Promise.all([
      expect(stuck).rejects.toMatchObject({ kind: "cpu" }),
      expect(waits).rejects.toMatchObject({ kind: "displaced" }),
    ]);
    expect(await bench.run("return 1;")).toBe(1);
  });

  it("that nothing was entered in yet say as well that they could not help it", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const answers: (() => void)[] = [];
    const stuck = bench.run("await now(); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", {
      limits: { cpu: 50 },
      answer: () =>
        new Promise<null>((resolve) => {
          answers.push(() => resolve(null));
        }),
    });
    while (answers.length === 0) await delay(5);
    const place = await runtime.reserve(1_000, false);
    answers[0]?.();
    await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
    await expect(place.enter(entry("return 1;"), bench.host())).rejects.toMatchObject({ kind: "displaced" });
    place.release();
    expect(await bench.run("return 2;")).toBe(2);
  });

  it("wait no longer than they may behind others of their thread, which go on", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const answers: (() => void)[] = [];
    const late = bench.run("return await now();", {
      limits: { timeout: 1_000 },
      answer: () =>
        new Promise<null>((resolve) => {
          answers.push(() => resolve(null));
        }),
    });
    while (answers.length === 0) await delay(5);
    const running = bench.run("const end = Date.now() + 2_500; while (Date.now() < end); return 'done';", {
      limits: { cpu: 20_000, timeout: 20_000 },
    });
    await delay(200);
    answers[0]?.();
    await expect(late).rejects.toMatchObject({ kind: "timeout" });
    expect(await running).toBe("done");
  });

  it("given back at any time tell the next ones nothing", async () => {
    const { bench, runtime } = open(2, 200);
    const results = await Promise.all(
      Array.from({ length: 120 }, async (_one, number) => {
        const place = await runtime.reserve(60_000, false);
        const host = bench.host(() => delay(number % 3, { number }));
        const body =
          "globalThis.kept ??= input; const told = []; for (let call = 0; call < 3; call += 1) told.push((await now()).number); return [globalThis.kept, ...told];";
        const running = place.enter({ ...entry(body), argument: { skipCheck: false, caller, input: number } }, host);
        const isLeft = number % 2 === 1;
        if (isLeft) await Promise.race([running, delay(number % 5)]);
        const result = isLeft
          ? running.then(
              () => null,
              () => null,
            )
          : running.then((outcome) => outcome.result);
        if (!isLeft) await running;
        place.release();
        return result;
      }),
    );
    expect(results.filter((result) => result !== null)).toEqual(
      Array.from({ length: 60 }, (_one, index) => Array.from({ length: 4 }, () => 2 * index)),
    );
  });

  it("serve many at a time", async () => {
    const { bench, runtime } = open(2);
    const results = await Promise.all(
      Array.from({ length: 40 }, async (_one, number) => {
        const place = await runtime.reserve(60_000, false);
        try {
          return (
            await place.enter(
              { ...entry("await now(); return input;"), argument: { skipCheck: false, caller, input: number } },
              bench.host(),
            )
          ).result;
        } finally {
          place.release();
        }
      }),
    );
    expect(results).toEqual(Array.from({ length: 40 }, (_one, number) => number));
  });

  it("are there again after many threads were lost", async () => {
    const { bench } = open(2);
    const stuck = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);";
    await Promise.all(
      Array.from({ length: 4 }, () =>
        expect(bench.run(stuck, { limits: { cpu: 50 } })).rejects.toMatchObject({ kind: "cpu" }),
      ),
    );
    expect(await bench.run("return 1;")).toBe(1);
  });
});

it("tells all who wait when it is closed", async () => {
  const bench = new Bench(1);
  const place = await bench.runtime.reserve(1_000, true);
  const began = performance.now();
  const waiting = Array.from({ length: 3 }, () => bench.runtime.reserve(60_000, true).catch((error: unknown) => error));
  const closed = bench.runtime.close();
  place.release();
  expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ code: 706 })));
  expect(performance.now() - began).toBeLessThan(30_000);
  await closed;
});

it("ends what runs when it is closed, and lets nobody in", async () => {
  const bench = new Bench(1);
  const place = await bench.runtime.reserve(1_000, false);
  const running = place.enter(entry("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
  await Promise.all([expect(running).rejects.toMatchObject({ kind: "ended" }), bench.runtime.close()]);
  place.release();
  await expect(bench.runtime.reserve(1_000, false)).rejects.toMatchObject({ code: 706 });
});

it("starts no thread before there is work", async () => {
  const script = `
    import { readdirSync } from "node:fs";
    import { QuickJsMacroRuntime } from "@sallyport/macros";
    const before = readdirSync("/proc/self/task").length;
    const runtime = new QuickJsMacroRuntime({ threads: 4, queue: 1 });
    console.log(readdirSync("/proc/self/task").length - before);
    await runtime.close();`;
  if (process.platform !== "linux") return;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(printed.trim()).toBe("0");
});

it("runs macros in threads that stand back behind the server, which stays as it was", async () => {
  // Elsewhere a thread has no priority of its own, and is given none.
  if (process.platform !== "linux") return;
  const bench = new Bench(1, 1, {});
  await bench.run("return 1;");
  // The 19th field, counted behind the name of the thread.
  const nice = readdirSync("/proc/self/task").map((id) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ")[16]),
  );
  expect(nice.filter((value) => value === 10)).not.toEqual([]);
  expect(Number(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[16])).toBeLessThan(10);
  await bench.runtime.close();
});

it("knows nothing of the server's surroundings", async () => {
  process.env["SALLYPORT_TEST_SECRET"] = "secret";
  const { bench } = open(1);
  expect(await bench.run("return JSON.stringify(Object.getOwnPropertyNames(globalThis)).includes('SECRET');")).toBe(
    false,
  );
  delete process.env["SALLYPORT_TEST_SECRET"];
});
