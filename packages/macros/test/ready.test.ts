import { setTimeout as delay } from "node:timers/promises";
import { READY_PER_WORKER } from "../src/worker/messages.ts";
import { benches, invocation } from "./runtime.ts";

const { open, close } = benches();
afterAll(close);

describe("executions that are ready in a worker before their turn", () => {
  it("get their result before a long one behind them ends", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const long = "const end = Date.now() + 1_500; while (Date.now() < end); return 'long';";
    const began = performance.now();
    const [short, slow] = [bench.run("return 'short';"), bench.run(long, { limits: { cpu: 20_000, timeout: 20_000 } })];
    expect(await short).toBe("short");
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await slow).toBe("long");
  });

  it("that have not begun move when another one costs the worker, and do not count its time", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
    const next = Array.from({ length: READY_PER_WORKER - 1 }, (_one, number) =>
      bench.run("return input;", { input: number }),
    );
    await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
    expect(await Promise.all(next)).toEqual([0, 1, 2]);
  });

  it("have their whole time, however long others were before them", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const long = bench.run("const end = Date.now() + 2_000; while (Date.now() < end); return 'long';", {
      limits: { cpu: 20_000, timeout: 20_000 },
    });
    const lease = await runtime.lease(1_000, false);
    const waits = lease.invoke(
      invocation("const end = Date.now() + 400; while (Date.now() < end); return 'short';", { timeout: 1_500 }),
      bench.host(),
    );
    await delay(300);
    expect(lease.waited).toBeGreaterThan(200);
    expect((await waits).result).toBe("short");
    expect(lease.waited).toBeGreaterThan(1_700);
    expect(lease.waited).toBeLessThan(10_000);
    lease.release();
    expect(await long).toBe("long");
  });

  it("are given up while they move", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
    const others = Array.from({ length: READY_PER_WORKER - 2 }, () =>
      bench.run("const end = Date.now() + 300; while (Date.now() < end);"),
    );
    const lease = await runtime.lease(1_000, false);
    const given = lease.invoke(invocation("return 1;"), bench.host()).catch((error: unknown) => error);
    await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
    lease.release();
    await Promise.all(others);
    expect(await given).toMatchObject({ kind: "ended" });
    expect(await bench.run("return 2;")).toBe(2);
    expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
  });

  it("do not share a worker with a lease that holds something, which does not wait behind a running one", async () => {
    const { bench, runtime } = open(1);
    await bench.run("return 1;");
    const running = bench.run("const end = Date.now() + 200; while (Date.now() < end); return 'ran';");
    await delay(50);
    await expect(runtime.lease(20, true)).rejects.toMatchObject({ code: 706 });
    const holding = runtime.lease(5_000, true);
    const behind = runtime.lease(5_000, false);
    expect(runtime.load).toEqual({ busy: 1, waiting: 2 });
    expect(await running).toBe("ran");
    const lease = await holding;
    expect(runtime.load).toEqual({ busy: 1, waiting: 1 });
    expect((await lease.invoke(invocation("return 'held';"), bench.host())).result).toBe("held");
    lease.release();
    (await behind).release();
  });

  it("come after those that have begun and go on", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const answers: (() => void)[] = [];
    const order: string[] = [];
    const begun = bench
      .run("return await now();", {
        answer: () =>
          new Promise<string>((resolve) => {
            answers.push(() => resolve("begun"));
          }),
      })
      .then(() => order.push("begun"));
    while (answers.length === 0) await delay(5);
    const busy = "const end = Date.now() + 200; while (Date.now() < end);";
    const others = ["one", "two"].map((name) => bench.run(busy).then(() => order.push(name)));
    await delay(50);
    answers[0]?.();
    await Promise.all([begun, ...others]);
    expect(order).toEqual(["one", "begun", "two"]);
  });

  it("fail with a timeout, whether the worker notices first or the server", async () => {
    const { bench } = open(1);
    await bench.run("return 1;");
    const times = Array.from({ length: 12 }, (_one, index) => 30 + index);
    const ends = await Promise.all(
      times.map((timeout) =>
        bench.run("for (;;);", { limits: { cpu: 20_000, timeout } }).catch((error: unknown) => error),
      ),
    );
    expect(ends).toMatchObject(
      times.map((timeout) => ({ kind: "timeout", message: `took longer than ${timeout} ms` })),
    );
  });
});
