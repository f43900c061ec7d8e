import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "@sallyport/storage";
import { MacroRefusal } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import { READY_PER_WORKER } from "../src/worker/messages.ts";
import { Bench, benches, invocation, macro } from "./runtime.ts";

describe("inspection", () => {
  const bench = new Bench();
  afterAll(() => bench.runtime.close());

  const sound = "export default { access: 'everyone', run: (x: number): number => x };";

  describe("malicious source texts", () => {
    it.each([
      ["deep brackets", "(".repeat(200_000)],
      ["deep arrays", `export default ${"[".repeat(100_000)}`],
      ["deep types", `type A = ${"Array<".repeat(50_000)}1`],
      ["deep templates", "`${".repeat(50_000)],
      ["deep functions", "() => ".repeat(50_000)],
      ["many operators", `export default { a: ${"1 + ".repeat(100_000)}1 };`],
      ["a zero", "export default { run() { return '\u0000'; } };\u0000 what is this"],
      ["half a character", "export default { run() {} }; '\ud800"],
      ["nothing", ""],
      ["a value that is not source text", "\u0001\u0002\ufffe"],
    ])("are handled as TypeScript and as JavaScript: %s", async (_title, text) => {
      await bench.declare(text, "ts").catch((error: unknown) => expect(error).toMatchObject({ name: "MacroFault" }));
      await bench.declare(text, "js").catch((error: unknown) => expect(error).toMatchObject({ name: "MacroFault" }));
      expect(await bench.declare(sound, "ts")).toEqual({ access: "everyone", run: true });
    });
  });

  it("preserves lines and columns of TypeScript", async () => {
    const text =
      "import { defineMacro } from '@sallyport/macros';\ninterface Input {\n  a: number;\n}\nexport default defineMacro({\n  run({ input }: { input: Input }) {\n    throw new Error(`${input.a satisfies number}`);\n  },\n});";
    const { module } = await bench.runtime.inspect({ name: "Probe", code: text }, "ts");
    expect(module.code.split("\n")).toHaveLength(text.split("\n").length);
    await expect(bench.invoke(module.code, { input: { a: 5 } })).rejects.toMatchObject({ message: "5", line: 7 });
  });

  it("reports the position of a TypeScript error", async () => {
    await expect(bench.declare("export default {};\n\n  enum A { B }", "ts")).rejects.toMatchObject({
      kind: "invalid",
      line: 3,
      column: 3,
    });
    await expect(bench.declare("const a: number = ;", "ts")).rejects.toMatchObject({
      kind: "invalid",
      message: "Expression expected",
      line: 1,
      column: 19,
    });
  });

  it("reads only the data of a declaration", async () => {
    const members =
      "access: 'everyone', a: undefined, b: Symbol.iterator, c: { d: () => 1, e: [1] }, get f() { return 2; }, [Symbol('g')]: 1,";
    expect(await bench.declare(macro("", members))).toEqual({ access: "everyone", c: { e: [1] }, f: 2, run: true });
  });

  it("limits the time and the size of a top level", async () => {
    await expect(bench.declare("for (;;);")).rejects.toMatchObject({ kind: "cpu" });
    await expect(bench.declare("export default { a: 'x'.repeat(1_000_000) };")).rejects.toMatchObject({
      kind: "resultBytes",
    });
    await expect(bench.declare("export default { get a() { throw new Error('no'); } };")).rejects.toMatchObject({
      kind: "threw",
    });
  });
});

describe("runtime threads", () => {
  const { open, close } = benches();
  afterAll(close);

  it("rejects all waiting callers when it is closed", async () => {
    const bench = new Bench(1);
    const lease = await bench.runtime.lease(1_000, true);
    const waiting = Array.from({ length: 3 }, () => bench.runtime.lease(60_000, true).catch((error: unknown) => error));
    const closed = bench.runtime.close();
    lease.release();
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ code: 706 })));
    await closed;
  });

  it("ends running executions and refuses new ones when it is closed", async () => {
    const bench = new Bench(1);
    const lease = await bench.runtime.lease(1_000, false);
    const running = lease.invoke(invocation("for (;;);", { cpu: 60_000, timeout: 60_000 }), bench.host());
    await Promise.all([expect(running).rejects.toMatchObject({ kind: "ended" }), bench.runtime.close()]);
    lease.release();
    await expect(bench.runtime.lease(1_000, false)).rejects.toMatchObject({ code: 706 });
  });

  it("starts no thread before the first work", async () => {
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

  it("runs macros in threads with lower priority and keeps the priority of the server", async () => {
    // On other systems a thread has no priority of its own.
    if (process.platform !== "linux") return;
    const bench = new Bench(1, 1, {});
    await bench.run("return 1;");
    // The 19th field, counted after the name of the thread.
    const nice = readdirSync("/proc/self/task").map((id) =>
      Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ")[16]),
    );
    expect(nice.filter((value) => value === 10)).not.toEqual([]);
    expect(Number(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[16])).toBeLessThan(10);
    await bench.runtime.close();
  });

  it("hides the environment of the server", async () => {
    process.env["SALLYPORT_TEST_SECRET"] = "secret";
    const { bench } = open(1);
    expect(await bench.run("return JSON.stringify(Object.getOwnPropertyNames(globalThis)).includes('SECRET');")).toBe(
      false,
    );
    delete process.env["SALLYPORT_TEST_SECRET"];
  });
});

describe("zeros", () => {
  /** A text of the engine would end at its first zero if it were passed on unchanged. */

  let bench: Bench;
  beforeAll(() => {
    bench = new Bench();
  });
  afterAll(() => bench.runtime.close());

  const odd = "a\u0000b\u2028\u00fc\ud83d\ude00";
  const code = JSON.stringify(odd);

  test("preserves zeros in log lines, status messages, results and refusals", async () => {
    const { statusMessage, result } = await bench.invoke(
      macro(`log(${code}); setStatusMessage(${code}); return ${code};`),
    );
    expect([bench.lines, statusMessage, result]).toEqual([[odd], odd, odd]);
    await expect(bench.run(`refuse(307, ${code});`)).rejects.toEqual(new MacroRefusal(307, odd));
    await expect(bench.run(`throw new Error(${code});`)).rejects.toMatchObject({ message: odd });
  });

  test("preserves zeros in inputs, answers and refusals of the host", async () => {
    const answer = (): never => {
      throw new ServiceError(307, { detail: odd });
    };
    expect(await bench.run("return input;", { input: odd })).toBe(odd);
    expect(await bench.run("return await now();", { answer: () => odd })).toBe(odd);
    expect(await bench.run("try { await now(); } catch (error) { return error.message; }", { answer })).toBe(odd);
  });
});

describe("ready", () => {
  const { open, close } = benches();
  afterAll(close);

  describe("executions prepared in a worker", () => {
    it("return their result before a longer one behind them ends", async () => {
      const { bench } = open(1);
      await bench.run("return 1;");
      const long = "const end = Date.now() + 1_500; while (Date.now() < end); return 'long';";
      const results: unknown[] = [];
      const note = (result: unknown) => results.push(result);
      await Promise.all([
        bench.run("return 'short';").then(note),
        bench.run(long, { limits: { cpu: 20_000, timeout: 20_000 } }).then(note),
      ]);
      expect(results).toEqual(["short", "long"]);
    });

    it("move to another worker without losing time when their worker is lost", async () => {
      const { bench } = open(1);
      await bench.run("return 1;");
      const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
      const next = Array.from({ length: READY_PER_WORKER - 1 }, (_one, number) =>
        bench.run("return input;", { input: number }),
      );
      await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
      expect(await Promise.all(next)).toEqual([0, 1, 2]);
    });

    it("have their full time after long executions", async () => {
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

    it("can be cancelled while they move", async () => {
      const { bench, runtime } = open(1);
      await bench.run("return 1;");
      const stuck = bench.run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);", { limits: { cpu: 50 } });
      const others = Array.from({ length: READY_PER_WORKER - 2 }, () =>
        bench.run("const end = Date.now() + 300; while (Date.now() < end);"),
      );
      const lease = await runtime.lease(1_000, false);
      const outcome = lease.invoke(invocation("return 1;"), bench.host()).catch((error: unknown) => error);
      await expect(stuck).rejects.toMatchObject({ kind: "cpu" });
      lease.release();
      await Promise.all(others);
      expect(await outcome).toMatchObject({ kind: "ended" });
      expect(await bench.run("return 2;")).toBe(2);
      expect(runtime.load).toEqual({ busy: 0, waiting: 0 });
    });

    it("do not share a worker with a lease that has state, which does not wait behind a running one", async () => {
      const { bench, runtime } = open(1);
      await bench.run("return 1;");
      const running = bench.run("const end = Date.now() + 200; while (Date.now() < end); return 'ran';");
      await delay(50);
      await expect(runtime.lease(20, true)).rejects.toMatchObject({ code: 706 });
      const leasing = runtime.lease(5_000, true);
      const behind = runtime.lease(5_000, false);
      expect(runtime.load).toEqual({ busy: 1, waiting: 2 });
      expect(await running).toBe("ran");
      const lease = await leasing;
      expect(runtime.load).toEqual({ busy: 1, waiting: 1 });
      expect((await lease.invoke(invocation("return 'kept';"), bench.host())).result).toBe("kept");
      lease.release();
      (await behind).release();
    });

    it("run after started executions continue", async () => {
      const { bench } = open(1);
      await bench.run("return 1;");
      const answers: (() => void)[] = [];
      const order: string[] = [];
      const started = bench
        .run("return await now();", {
          answer: () =>
            new Promise<string>((resolve) => {
              answers.push(() => resolve("begun"));
            }),
        })
        .then(() => order.push("begun"));
      await until(() => answers.length > 0);
      const busy = "const end = Date.now() + 200; while (Date.now() < end);";
      const others = ["one", "two"].map((name) => bench.run(busy).then(() => order.push(name)));
      await delay(50);
      answers[0]?.();
      await Promise.all([started, ...others]);
      expect(order.indexOf("begun")).toBeLessThan(order.indexOf("two"));
    });

    it("fail with a timeout, detected by the worker or by the server", async () => {
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
});
