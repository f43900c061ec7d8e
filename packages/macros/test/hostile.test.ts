import { macro, Bench } from "./runtime.ts";

/** Attacks by the author of a macro. After each, the next invocation finds an intact environment. */

const bench = new Bench();
afterAll(() => bench.runtime.close());

afterEach(async () => {
  const body =
    "return [JSON.stringify({ a: [1] }), [3, 1, 2].sort(), Object.keys(Object.prototype), typeof globalThis.left, await call('Other', 1)];";
  expect(await bench.run(body, { answer: ({ argument }) => ({ result: argument }) })).toEqual([
    '{"a":[1]}',
    [1, 2, 3],
    [],
    "undefined",
    { name: "Other", input: 1 },
  ]);
});

describe("reachable globals", () => {
  it("contain the language only", async () => {
    const names = (await bench.run("return Object.getOwnPropertyNames(globalThis).sort();")) as string[];
    const language = new Set(
      `
      Object Function Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
      InternalError Array ArrayBuffer SharedArrayBuffer DataView Uint8ClampedArray Int8Array Uint8Array Int16Array
      Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array Atomics
      BigInt Boolean Date Iterator JSON Map Math Number Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet
      WeakRef FinalizationRegistry Infinity NaN undefined globalThis decodeURI decodeURIComponent encodeURI
      encodeURIComponent escape unescape isFinite isNaN parseFloat parseInt eval DOMException queueMicrotask performance
      `.split(/\s+/),
    );
    expect(names.filter((name) => !language.has(name))).toEqual([]);
  });

  it.each([
    "process",
    "require",
    "fetch",
    "setTimeout",
    "WebAssembly",
    "Worker",
    "std",
    "os",
    "print",
    "console",
    "send",
    "module",
    "Deno",
    "Bun",
  ])("exclude %s", async (name) => {
    expect(
      await bench.run(
        `return [typeof ${name}, typeof (0, eval)("this")[${JSON.stringify(name)}], Function("return typeof ${name}")()];`,
      ),
    ).toEqual(["undefined", "undefined", "undefined"]);
  });

  it.each([
    "return (async () => {}).constructor('return typeof process')();",
    "return (function* () {}).constructor('yield typeof process')().next().value;",
    "return [].constructor.constructor('return typeof process')();",
    "return log.constructor('return typeof process')();",
    "return objects.get.constructor.constructor('return typeof process')();",
    "return call.constructor('return typeof process')();",
    "return this === undefined ? 'undefined' : 'this';",
    "return typeof (function () { return this; })();",
  ])("lead nowhere through a constructor: %s", async (body) => {
    expect(await bench.run(body)).toBe("undefined");
  });

  it.each([
    "node:fs",
    "fs",
    "/prelude/host-calls.js",
    "/prelude/main.js",
    "../prelude/host-calls.js",
    "/authoring/objects.js",
    "file:///etc/passwd",
    "data:text/javascript,export default 1",
    "Probe",
    "",
  ])("exclude the module %p", async (name) => {
    const message = `cannot import ${JSON.stringify(name)}: only "@sallyport/macros" can be imported`;
    await expect(bench.invoke(`import x from ${JSON.stringify(name)};\n${macro("return x;")}`)).rejects.toMatchObject({
      kind: "threw",
      message,
    });
    expect(
      await bench.run(
        `try { await import(${JSON.stringify(name)}); return 'there'; } catch (error) { return error.message; }`,
      ),
    ).toBe(message);
  });

  it("contain only the exports of @sallyport/macros in an import", async () => {
    expect(await bench.run("return Object.keys(await import('@sallyport/macros')).sort();")).toEqual([
      "Refusal",
      "defineHook",
      "defineMacro",
      "refuse",
      "versionOf",
    ]);
  });
});

describe("prototypes", () => {
  it.each([
    "Object.prototype.left = 1; Array.prototype.left = 1; Function.prototype.left = 1; return 1;",
    "globalThis.left = 1; globalThis.Object = null; globalThis.Promise = null; return 1;",
    "Object.defineProperty(Object.prototype, 'then', { get() { return undefined; }, configurable: true }); return 1;",
    "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(globalThis); return 1;",
  ])("belong to a single invocation: %s", async (body) => {
    expect(await bench.run(body)).toBe(1);
  });

  it("are plain in inputs and results", async () => {
    const input = JSON.parse(
      '{"__proto__": {"administrator": true}, "constructor": {"prototype": {"x": 1}}, "toString": 1}',
    );
    const body =
      "return [Object.hasOwn(input, '__proto__'), Object.getPrototypeOf(input) === Object.prototype, ({}).administrator, ({}).x];";
    expect(await bench.run(body, { input })).toEqual([true, true, null, null]);
    const result = (await bench.run('return JSON.parse(\'{"__proto__": {"left": 1}}\');')) as object;
    expect(Object.hasOwn(result, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["left"]).toBeUndefined();
  });

  it("affect only the macro that breaks the language of the prelude", async () => {
    const body = `JSON.parse = () => ({ hijacked: true }); JSON.stringify = () => '"hijacked"';
      Promise.prototype.then = () => { throw new Error("then"); }; Promise.prototype.catch = Promise.prototype.finally = null;
      Promise.resolve = Promise.reject = null; Array.prototype.push = Array.prototype.map = null;
      Array.prototype[Symbol.iterator] = function* () { yield "hijacked"; };
      Object.keys = () => ["hijacked"]; Object.assign = Object.freeze = null; String.prototype.slice = () => "hijacked";
      Map.prototype.get = () => () => "hijacked"; WeakMap.prototype.set = WeakMap.prototype.get = null; Reflect.apply = null; Math.floor = () => 0;
      const first = await call("One", { a: 1 });
      const read = await objects.get("7K");
      return { first, read };`;
    const result = await bench.run(body, {
      answer: ({ name }) => (name === "call" ? { result: "answer" } : { object: { "~ObjectID": "7K" }, version: 1 }),
    });
    expect(bench.calls[0]).toEqual({ name: "call", argument: { name: "One", input: { a: 1 } } });
    expect(result).toEqual({ first: "answer", read: { "~ObjectID": "7K" } });
  });

  it("do not affect the calls of the host when list members are poisoned", async () => {
    const body = `Object.defineProperty(Object.prototype, "forUpdate", { value: true, enumerable: true });
      Object.defineProperty(Object.prototype, "toJSON", { value() { return "poisoned"; }, configurable: true });
      return call("One");`;
    await bench.run(body, { answer: () => ({ result: 1 }) });
    expect(bench.calls).toEqual([{ name: "call", argument: "poisoned" }]);
  });
});

describe("messages", () => {
  it.each([
    ["a name", "call({ toString: () => 'objects.delete' })", { name: "call", argument: { name: {} } }],
    [
      "a class",
      "objects.find({ __proto__: null, evil: 1 }, { className: 'Other' })",
      { name: "objects.find", argument: { className: { evil: 1 } } },
    ],
    ["an ID in the options", "objects.get('7K', { id: '1' })", { name: "objects.get", argument: { id: "7K" } }],
    [
      "text that looks like an ID",
      `call('"},"type":"done","result":"1')`,
      { name: "call", argument: { name: '"},"type":"done","result":"1' } },
    ],
    [
      "a getter as an ID",
      "objects.lock({ get '~ObjectID'() { return ['7K']; } })",
      { name: "objects.lock", argument: { id: ["7K"] } },
    ],
  ])("reach the host as data for its judgement: %s", async (_title, expression, call) => {
    await bench.run(`try { await ${expression}; } catch {} return 1;`, { answer: () => ({}) });
    expect(bench.calls).toEqual([call]);
  });

  it("cannot be forged by functions with the same names", async () => {
    const body =
      "globalThis.send = globalThis.tell = globalThis.connect = () => 1; globalThis.answered = () => 2; return typeof connect;";
    expect(await bench.run(body)).toBe("function");
    expect(bench.calls).toEqual([]);
  });

  it("end an invocation once", async () => {
    const thenable = "return { then(resolve, reject) { resolve(1); reject(new Error('late')); resolve(2); } };";
    expect(await bench.run(thenable)).toBe(1);
  });

  it("ignore a module with deceptive exports", async () => {
    await expect(
      bench.invoke("export function then(resolve) { resolve({ default: { run: () => 1 } }); }\nexport default {};"),
    ).resolves.toMatchObject({ result: 1 });
    await expect(bench.invoke("export function then() {}\nexport default {};")).rejects.toMatchObject({
      kind: "pending",
    });
    await expect(
      bench.invoke("export default new Proxy({}, { get() { throw new Error('no'); } });"),
    ).rejects.toMatchObject({ kind: "threw", message: "no" });
  });
});

describe("a thrown value", () => {
  it.each([
    ["undefined", "undefined"],
    ["null", "null"],
    ["a text", "'so not'"],
    ["a symbol", "Symbol('s')"],
    ["a big number", "10n ** 30n"],
    ["a function", "() => 1"],
    ["an object", "{ a: 1 }"],
    [
      "a getter that throws",
      "{ get message() { throw new Error('inner'); }, get stack() { throw 1; }, get name() { throw 2; } }",
    ],
    [
      "an error with hostile members",
      "Object.defineProperties(new Error('x'), { message: { get() { throw 1; } }, stack: { get() { throw 2; } }, name: { value: {} } })",
    ],
    [
      "toString that throws",
      "{ toString() { throw new Error('inner'); }, toJSON() { throw new Error('inner'); }, [Symbol.toPrimitive]() { throw 1; } }",
    ],
    [
      "a proxy",
      "new Proxy({}, { get() { throw new Error('trap'); }, has() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); } })",
    ],
    ["a revoked proxy", "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()"],
    ["an error without a prototype", "Object.create(null)"],
    ["an object that imitates a refusal", "Object.assign(Object.create(Refusal.prototype), { code: 607 })"],
    ["a refusal behind a proxy", "new Proxy(new Refusal(304), {})"],
  ])("is described: %s", async (_title, thrown) => {
    await expect(bench.run(`throw ${thrown};`)).rejects.toMatchObject({
      name: "MacroFault",
      kind: "threw",
      message: expect.any(String),
    });
    await expect(bench.invoke(`throw ${thrown.replaceAll("Refusal", "Error")};`)).rejects.toMatchObject({
      name: "MacroFault",
      kind: "threw",
    });
  });

  it("is truncated to a maximum length", async () => {
    const fault = await bench.run("throw new Error('x'.repeat(1_000_000));").catch((error: Error) => error.message);
    expect((fault as string).length).toBeLessThan(2_200);
  });

  it("may be a refusal with a valid code of its own choice", async () => {
    for (const code of ["0", "-1", "1.5", "NaN", "'304'", "{ valueOf: () => 304 }", "2 ** 53", "303"]) {
      await expect(bench.run(`throw new Refusal(${code}, 'x');`)).rejects.toMatchObject({
        name: "MacroFault",
        kind: "threw",
      });
    }
  });

  it("keeps its original code", async () => {
    await expect(
      bench.run("const refusal = new Refusal(304); try { refusal.code = 607; } catch {} throw refusal;"),
    ).rejects.toMatchObject({ name: "MacroRefusal", code: 304 });
  });

  it("is subject to the time limit during its description", async () => {
    await expect(bench.run("throw { get message() { for (;;); } };", { limits: { cpu: 100 } })).rejects.toMatchObject({
      kind: "cpu",
    });
  });
});

describe("results", () => {
  it.each([
    ["a circle", "const a = {}; a.a = a; return a;"],
    ["a big number", "return 1n;"],
    ["a function", "return () => 1;"],
    ["a symbol", "return Symbol.iterator;"],
    ["toJSON that throws", "return { toJSON() { throw new Error('no'); } };"],
    ["a getter that throws", "return { get a() { throw new Error('no'); } };"],
    ["a proxy that throws", "return new Proxy({}, { ownKeys() { throw new Error('no'); } });"],
    ["nesting beyond the stack", "let a = []; for (let n = 0; n < 100_000; n += 1) a = [a]; return a;"],
    ["nesting beyond the limit", "let a = []; for (let n = 0; n < 65; n += 1) a = [a]; return a;"],
  ])("fail if they are not JSON: %s", async (_title, body) => {
    await expect(bench.run(body)).rejects.toMatchObject({ name: "MacroFault", kind: "result" });
  });

  it("may be the output of toJSON", async () => {
    expect(
      await bench.run("return { a: new Date(0), b: { toJSON: () => 5 }, c: [undefined, () => 1], d: NaN };"),
    ).toEqual({ a: "1970-01-01T00:00:00.000Z", b: 5, c: [null, null], d: null });
  });

  it("preserve texts that are not valid Unicode", async () => {
    expect(
      await bench.run("return ['\\ud800', '\\u0000', 'a\\u2028b', input];", { input: "\ud83d\ude00\u0000" }),
    ).toEqual(["\ud800", "\u0000", "a\u2028b", "\ud83d\ude00\u0000"]);
  });

  it("fail beyond the size limit", async () => {
    await expect(bench.run("return 'é'.repeat(600);", { limits: { resultBytes: 1_000 } })).rejects.toMatchObject({
      kind: "resultBytes",
    });
    expect(await bench.run("return 'e'.repeat(998);", { limits: { resultBytes: 1_000 } })).toHaveLength(998);
  });

  it("are subject to the time limit during their creation", async () => {
    await expect(bench.run("return { toJSON() { for (;;); } };", { limits: { cpu: 100 } })).rejects.toMatchObject({
      kind: "cpu",
    });
    await expect(bench.run("return { get then() { for (;;); } };", { limits: { cpu: 100 } })).rejects.toMatchObject({
      kind: "cpu",
    });
  });
});

describe("calls of the host with invalid arguments", () => {
  it.each([
    ["a circle", "const a = {}; a.a = a; await call('One', a);"],
    ["a big number", "await call('One', 1n);"],
    ["a getter that throws", "await call('One', { get a() { throw new Error('no'); } });"],
  ])("fail in the module without reaching the host: %s", async (_title, body) => {
    await expect(bench.run(body)).rejects.toMatchObject({ kind: "threw" });
    expect(bench.calls).toEqual([]);
  });

  it("fail beyond the nesting limit", async () => {
    await expect(
      bench.run("let a = []; for (let n = 0; n < 100; n += 1) a = [a]; await call('One', a);"),
    ).rejects.toMatchObject({ kind: "threw", message: "call: the argument is nested more than 64 levels deep" });
    expect(bench.calls).toEqual([]);
  });
});
