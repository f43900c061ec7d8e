import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@sallyport/test-kit/jest/until";
import { LEASES_PER_WORKER, READY_PER_WORKER } from "../src/worker/messages.ts";
import { benches, caller, invocation } from "./runtime.ts";

const { open, close } = benches();
afterAll(close);

describe("leases", () => {
  it("are limited by the workers, with a limited number of waiting ones for a limited time", async () => {
    const { runtime } = open(2, 1);
    const busy = 2 * READY_PER_WORKER;
    const leases = await Promise.all(Array.from({ length: busy }, () => runtime.lease(0, false)));
    const waits = runtime.lease(30_000, false);
    expect(runtime.load).toEqual({ busy, waiting: 1 });
    await expect(runtime.lease(1_000, false)).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    leases[0]?.release();
    leases[0]?.release();
    const third = await waits;
    expect(runtime.load).toEqual({ busy, waiting: 0 });
    await expect(runtime.lease(5, false)).rejects.toMatchObject({ code: 706 });
    for (const lease of [...leases.slice(1), third]) lease.release();
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("cannot be used after their release", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    lease.release();
    await expect(lease.invoke(invocation("return 1;"), bench.host())).rejects.toMatchObject({ kind: "ended" });
  });

  it("end their running execution on release", async () => {
    const { bench, runtime } = open(1);
    const lease = await runtime.lease(1_000, false);
    const running = lease.invoke(invocation("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
    lease.release();
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 1;")).toBe(1);
  });

  it("keep their thread if they are released while an execution waits", async () => {
    if (process.platform !== "linux") return;
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const threads = () => readdirSync("/proc/self/task").toSorted();
    const before = threads();
    for (let round = 0; round < 5; round += 1) {
      const lease = await runtime.lease(1_000, false);
      const running = lease.invoke(
        invocation("await now(); return await now();"),
        bench.host(() => delay(20, null)),
      );
      if (round % 2 === 1) await delay(5);
      lease.release();
      await expect(running).rejects.toMatchObject({ kind: "ended" });
      expect(await bench.run("return input;", { input: round })).toBe(round);
    }
    expect(threads()).toEqual(before);
  });

  it("return soon if they are released while the host works for them", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    let answer = (_value: null): void => {};
    const lease = await runtime.lease(1_000, false);
    let running: Promise<unknown> = Promise.resolve();
    await new Promise<void>((reached) => {
      const host = bench.host(() => {
        reached();
        return new Promise<null>((resolve) => {
          answer = resolve;
        });
      });
      running = lease.invoke(invocation("return await now();"), host);
    });
    lease.release();
    expect(await bench.run("return 2;")).toBe(2);
    answer(null);
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 3;")).toBe(3);
  });

  it("keep their thread and its waiting executions if they are released while one runs", async () => {
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
    const lease = await runtime.lease(1_000, false);
    const running = lease.invoke(invocation("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
    await delay(50);
    lease.release();
    await expect(running).rejects.toMatchObject({ kind: "ended" });
    expect(await bench.run("return 2;")).toBe(2);
    answer("late");
    expect(await waits).toBe("late");
    expect(threads()).toEqual(before);
  });

  it("share a thread up to a limit while the host works for them", async () => {
    const { bench, runtime } = open(1);
    const answers: (() => void)[] = [];
    const inspectName = (): Promise<string> =>
      new Promise((resolve) => {
        answers.push(() => resolve("answered"));
      });
    const waiting = Array.from({ length: LEASES_PER_WORKER }, () =>
      bench.run("return await now();", { answer: inspectName }),
    );
    await until(() => answers.length >= LEASES_PER_WORKER);
    expect(runtime.load).toEqual({ busy: LEASES_PER_WORKER, waiting: 0 });
    const next = bench.run("return 'next';");
    await delay(20);
    expect(runtime.load).toEqual({ busy: LEASES_PER_WORKER, waiting: 1 });
    answers[3]?.();
    expect(await next).toBe("next");
    for (const answer of answers.toReversed()) answer();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => "answered"));
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("start in order in a thread, a few of them prepared behind the running one", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const running = Array.from({ length: READY_PER_WORKER }, () =>
      bench.run("const began = Date.now(); while (Date.now() < began + 100); return [began, Date.now()];"),
    );
    await delay(20);
    await expect(runtime.lease(20, false)).rejects.toMatchObject({ code: 706 });
    const times = (await Promise.all(running)) as [number, number][];
    for (const [index, [began]] of times.entries()) expect(began).toBeGreaterThanOrEqual(times[index - 1]?.[1] ?? 0);
  });

  it("lose waiting executions as evicted if another one blocks the thread", async () => {
    const { bench } = open(1);
    const waits = bench.run("return await now();", { answer: () => delay(2_000, null) });
    await until(() => bench.calls.length > 0);
    const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
    await Promise.all([
      expect(stuck).rejects.toMatchObject({ kind: "cpu" }),
      expect(waits).rejects.toMatchObject({ kind: "evicted" }),
    ]);
    expect(await bench.run("return 1;")).toBe(1);
  });

  it("fail as evicted before their first invocation, too", async () => {
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
    await until(() => answers.length > 0);
    const lease = await runtime.lease(1_000, false);
    answers[0]?.();
    await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
    await expect(lease.invoke(invocation("return 1;"), bench.host())).rejects.toMatchObject({ kind: "evicted" });
    lease.release();
    expect(await bench.run("return 2;")).toBe(2);
  });

  it("wait behind others of their thread up to the limit, and the others continue", async () => {
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
    await until(() => answers.length > 0);
    const running = bench.run("const end = Date.now() + 2_500; while (Date.now() < end); return 'done';", {
      limits: { cpu: 20_000, timeout: 20_000 },
    });
    await delay(200);
    answers[0]?.();
    await expect(late).rejects.toMatchObject({ kind: "timeout" });
    expect(await running).toBe("done");
  });

  it("reveal nothing to later leases after a release at any time", async () => {
    const { bench, runtime } = open(2, 200);
    const results = await Promise.all(
      Array.from({ length: 120 }, async (_one, number) => {
        const lease = await runtime.lease(60_000, false);
        const host = bench.host(() => delay(number % 3, { number }));
        const body =
          "globalThis.kept ??= input; const told = []; for (let call = 0; call < 3; call += 1) told.push((await now()).number); return [globalThis.kept, ...told];";
        const running = lease.invoke(
          { ...invocation(body), argument: { skipCheck: false, caller, input: number } },
          host,
        );
        const isLeft = number % 2 === 1;
        if (isLeft) await Promise.race([running, delay(number % 5)]);
        const result = isLeft
          ? running.then(
              () => null,
              () => null,
            )
          : running.then((outcome) => outcome.result);
        if (!isLeft) await running;
        lease.release();
        return result;
      }),
    );
    expect(results.filter((result) => result !== null)).toEqual(
      Array.from({ length: 60 }, (_one, index) => Array.from({ length: 4 }, () => 2 * index)),
    );
  });

  it("serve many executions concurrently", async () => {
    const { bench, runtime } = open(2);
    const results = await Promise.all(
      Array.from({ length: 40 }, async (_one, number) => {
        const lease = await runtime.lease(60_000, false);
        try {
          return (
            await lease.invoke(
              { ...invocation("await now(); return input;"), argument: { skipCheck: false, caller, input: number } },
              bench.host(),
            )
          ).result;
        } finally {
          lease.release();
        }
      }),
    );
    expect(results).toEqual(Array.from({ length: 40 }, (_one, number) => number));
  });

  it("are available again after many threads are lost", async () => {
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
