import { setImmediate as turn, setTimeout as after } from "node:timers/promises";
import { ServiceError } from "@sallyport/storage";
import { Bench, macro } from "./runtime.ts";

const bench = new Bench();
afterAll(() => bench.runtime.close());

afterEach(async () => {
  expect(await bench.run("return 'sound';")).toBe("sound");
});

/** The failure of a run. */
const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => ({}),
    (reason: unknown) => reason,
  );

describe("time", () => {
  it.each([
    ["a loop", "for (;;);"],
    ["a loop that catches all errors", "for (;;) { try { for (;;); } catch {} finally { continue; } }"],
    ["a chain of promises", "const next = () => Promise.resolve().then(next); await next();"],
    [
      "many chains of promises",
      "for (let n = 0; n < 50; n += 1) { const next = () => Promise.resolve().then(next, next); next(); } await new Promise(() => {});",
    ],
    ["a generator", "function* forever() { for (;;) yield 1; } for (const one of forever());"],
    [
      "a generator that continues after its end",
      "function* stubborn() { try { yield 1; } finally { for (;;) yield 2; } } for (const one of stubborn()) break; for (;;);",
    ],
    [
      "an asynchronous generator",
      "async function* forever() { for (;;) yield 1; } for await (const one of forever());",
    ],
    ["a regular expression", "/^(a+)+$/.test('a'.repeat(60) + 'b');"],
    ["a regular expression with lookbehind", "/(?<!b(a|a)*)c/.test('a'.repeat(60) + 'c');"],
    ["a comparison in a sort", "for (;;) [3, 1, 2].sort(() => { for (;;); });"],
    ["sorting", "for (;;) Array.from({ length: 100_000 }, Math.random).sort();"],
    ["a getter", "({ get a() { for (;;); } }).a;"],
    ["a proxy", "const p = new Proxy({}, { get: (t, k, r) => { for (;;); } }); p.a;"],
    ["JSON", "JSON.parse('[1]', () => { for (;;); });"],
    ["replacing", "'x'.replace(/x/, () => { for (;;); });"],
    ["an iterator", "Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });"],
    ["code from a text", "(0, eval)('for (;;);');"],
    ["a function from a text", "Function('for (;;);')();"],
  ])("limits a running module: %s", async (_title, body) => {
    const error = await failureOf(bench.run(body, { limits: { cpu: 150, timeout: 10_000 } }));
    expect(error).toMatchObject({ name: "MacroFault", kind: expect.stringMatching(/^(?:cpu|memory)$/) });
  });

  it("limits a running module at its top level", async () => {
    await expect(bench.invoke(`for (;;);\n${macro("")}`, { limits: { cpu: 100 } })).rejects.toMatchObject({
      kind: "cpu",
    });
    await expect(bench.invoke(`await new Promise(() => {});\n${macro("")}`)).rejects.toMatchObject({ kind: "pending" });
  });

  it.each([
    ["searching", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);"],
    ["moving", "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0);"],
    ["reversing", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 });"],
  ])("replaces the thread if the engine itself exceeds the limit: %s", async (_title, body) => {
    const error = await failureOf(bench.run(body, { limits: { cpu: 150, timeout: 10_000 } }));
    expect(error).toMatchObject({ name: "MacroFault", kind: "cpu" });
  });

  it("includes the time of the host, whose call is awaited", async () => {
    let ended = false;
    const answer = async (): Promise<number> => {
      await after(400);
      ended = true;
      return 1;
    };
    await expect(bench.run("await now();", { answer, limits: { timeout: 100 } })).rejects.toMatchObject({
      kind: "timeout",
      message: "took longer than 100 ms",
    });
    expect(ended).toBe(true);
  });

  it("limits the CPU time before and after calls of the host together", async () => {
    const body = "for (let n = 0; n < 90; n += 1) { for (let m = 0; m < 300_000; m += 1); await now(); }";
    await expect(bench.run(body, { limits: { cpu: 100 } })).rejects.toMatchObject({ kind: "cpu" });
  });

  it("limits many short calls of the host", async () => {
    const error = await failureOf(
      bench.run("for (;;) await now();", { limits: { timeout: 200, hostCalls: 1_000_000 } }),
    );
    expect(error).toMatchObject({ kind: "timeout" });
  });
});

describe("promises that never settle", () => {
  it.each([
    ["one", "await new Promise(() => {});"],
    ["one as the result", "return new Promise(() => {});"],
    ["a thenable without effect", "return { then() {} };"],
    ["one of several", "await Promise.all([now(), new Promise(() => {})]);"],
    [
      "one of an asynchronous generator",
      "async function* g() { await new Promise(() => {}); } for await (const x of g());",
    ],
  ])("fail immediately: %s", async (_title, body) => {
    const error = await failureOf(bench.run(body, { limits: { timeout: 60_000 } }));
    expect(error).toMatchObject({ kind: "pending", message: "waits for a promise that never settles" });
  });

  it("are ignored after the end of the module", async () => {
    expect(await bench.run("new Promise(() => {}); return 1;")).toBe(1);
  });

  it("fail the module if they belong to pending calls of the host", async () => {
    const message = "ended before its calls to the server: an await is missing";
    await expect(bench.run("now(); return 1;", { answer: () => 1 })).rejects.toMatchObject({
      kind: "pending",
      message,
    });
    await expect(
      bench.run("call('A'); await call('B').catch(() => {}); call('C'); return 1;", { answer: () => ({}) }),
    ).rejects.toMatchObject({ kind: "pending", message });
  });
});

describe("memory", () => {
  it.each([
    ["arrays", "const all = []; for (;;) all.push(new Array(1_000).fill(1));"],
    ["objects", "let all = {}; for (;;) all = { all, more: [1, 2, 3] };"],
    ["texts", "const all = []; for (;;) all.push('x'.repeat(100_000) + all.length);"],
    ["buffers", "const all = []; for (;;) all.push(new ArrayBuffer(1_000_000));"],
    ["functions", "const all = []; for (;;) all.push(() => all);"],
    ["maps", "const all = new Map(); for (let n = 0; ; n += 1) all.set(n, { n });"],
    ["symbols", "const all = []; for (;;) all.push(Symbol('x'.repeat(1_000) + all.length));"],
    ["promises", "const all = []; for (;;) all.push(new Promise(() => {}));"],
    ["waiting closures", "for (;;) Promise.resolve().then(() => {});"],
  ])("is limited: %s", async (_title, body) => {
    const error = await failureOf(bench.run(body, { limits: { cpu: 20_000, timeout: 25_000 } }));
    expect(error).toMatchObject({ name: "MacroFault", kind: "memory" });
  });

  it("is limited for a single large value, and the module can catch the error", async () => {
    expect(await bench.run("try { new ArrayBuffer(1_000_000_000); } catch (error) { return error.message; }")).toBe(
      "out of memory",
    );
    await expect(bench.run("return 'x'.repeat(100_000_000);")).rejects.toMatchObject({
      kind: expect.stringMatching(/^(?:memory|threw)$/),
    });
    await expect(bench.run("return 2n ** 1_000_000_000n;")).rejects.toMatchObject({ name: "MacroFault" });
  });

  it("is limited below the minimum of the engine", async () => {
    await expect(
      bench.run("const all = []; for (;;) all.push([all.length]);", {
        limits: { memory: 2 * 1024 * 1024, cpu: 20_000, timeout: 25_000 },
      }),
    ).rejects.toMatchObject({ kind: "memory" });
  });

  it("is available again for the next invocation", async () => {
    for (let round = 0; round < 3; round += 1) {
      await expect(bench.run("const all = []; for (;;) all.push(new ArrayBuffer(100_000));")).rejects.toMatchObject({
        kind: "memory",
      });
      expect(await bench.run("return new Array(500_000).fill(1).length;")).toBe(500_000);
    }
  });

  it("is limited for answers of the host", async () => {
    await expect(
      bench.run("return (await call('Large')).length;", { answer: () => ({ result: "x".repeat(20_000_000) }) }),
    ).rejects.toMatchObject({ kind: "memory" });
  });

  it("is limited for inputs", async () => {
    await expect(bench.run("return 1;", { input: "x".repeat(20_000_000) })).rejects.toMatchObject({ kind: "memory" });
  });
});

describe("the stack", () => {
  it.each([
    ["a function", "const f = () => 1 + f(); f();"],
    ["a getter", "const o = { get a() { return this.a; } }; o.a;"],
    ["a proxy", "let p = {}; for (let n = 0; n < 10_000; n += 1) p = new Proxy(p, {}); p.a;"],
    ["a constructor", "class A { constructor() { this.a = new A(); } } new A();"],
    ["JSON.parse", "JSON.parse('['.repeat(100_000));"],
    ["JSON.stringify", "const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o);"],
    ["the parser", "eval('('.repeat(100_000));"],
    ["a regular expression", "new RegExp('('.repeat(100_000));"],
    ["toString", "const a = []; a[0] = { toString: () => String(a) }; String(a);"],
    ["sort", "const f = () => [2, 1].sort(f); f();"],
    [
      "a thenable",
      "const t = { then: (resolve) => { const again = { then: t.then }; resolve(again); throw f(); } }; const f = () => f(); f();",
    ],
  ])("is limited: %s", async (_title, body) => {
    const error = await failureOf(bench.run(body));
    expect(error).toMatchObject({ name: "MacroFault", kind: expect.stringMatching(/^(?:stack|threw)$/) });
    expect((error as Error).message).toMatch(/stack|too many|SyntaxError/i);
  });

  it("can overflow without losing earlier effects", async () => {
    expect(
      await bench.run("let deep = 0; const f = () => { deep += 1; f(); }; try { f(); } catch {} return deep > 50;"),
    ).toBe(true);
  });
});

describe("calls of the host", () => {
  it("are counted", async () => {
    await expect(bench.run("for (;;) await now();", { limits: { hostCalls: 3 } })).rejects.toMatchObject({
      kind: "hostCalls",
      message: "called the server more than 3 times",
    });
    expect(bench.calls).toHaveLength(3);
  });

  it("stay inside the sandbox until their turn", async () => {
    let under = 0;
    let most = 0;
    const answer = async (): Promise<number> => {
      most = Math.max(most, (under += 1));
      await turn();
      under -= 1;
      return 1;
    };
    await expect(
      bench.run("await Promise.all(Array.from({ length: 5_000 }, () => now()));", {
        answer,
        limits: { hostCalls: 20 },
      }),
    ).rejects.toMatchObject({ kind: "hostCalls" });
    expect(bench.calls).toHaveLength(20);
    expect(most).toBe(1);
  });

  it("are not answered after the module has failed", async () => {
    const body = "await Promise.all([call('A'), call('B'), Promise.reject(new Error('no'))]);";
    await expect(bench.run(body, { answer: () => ({}) })).rejects.toMatchObject({ message: "no" });
    expect(bench.calls.length).toBeLessThanOrEqual(1);
  });
});

describe("the log", () => {
  it("stores a limited number of lines and counts the others", async () => {
    await bench.run("for (let n = 0; n < 10_000; n += 1) log('line', n); return 1;");
    expect(bench.lines).toHaveLength(201);
    expect(bench.lines.at(-1)).toBe("9800 more log lines were omitted");
  });

  it("truncates lines and limits the number of characters", async () => {
    await bench.run("for (let n = 0; n < 100; n += 1) log('x'.repeat(100_000)); return 1;");
    expect(bench.lines[0]).toBe(`${"x".repeat(2_000)}…`);
    expect(bench.lines.join("").length).toBeLessThan(70_000);
  });

  it("contains the lines before a failure", async () => {
    await expect(bench.run("log('before'); await now(); log('after'); throw new Error('no');")).rejects.toMatchObject({
      message: "no",
    });
    expect(bench.lines).toEqual(["before", "after"]);
    await expect(bench.run("log('before'); for (;;);", { limits: { cpu: 50 } })).rejects.toMatchObject({ kind: "cpu" });
    expect(bench.lines).toEqual(["before"]);
  });

  it("fails the module for values that are not JSON", async () => {
    await expect(bench.run("const a = {}; a.a = a; log(a);")).rejects.toMatchObject({ kind: "threw" });
    await expect(bench.run("log({ toJSON() { for (;;); } });", { limits: { cpu: 50 } })).rejects.toMatchObject({
      kind: "cpu",
    });
  });
});

it("rethrows a refusal of the host regardless of the module", async () => {
  const refused = () => Promise.reject(new ServiceError(799));
  await expect(bench.run("try { await now(); } catch { return 1; }", { answer: refused })).rejects.toMatchObject({
    code: 799,
    name: "ServiceError",
  });
});
