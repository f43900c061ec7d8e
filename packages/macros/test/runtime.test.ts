import { ServiceError } from "@sallyport/storage";
import { MacroFault, type MacroInvocation, type MacroLease, MacroRefusal } from "@sallyport/core";
import { Bench, benches, invocation, macro } from "./runtime.ts";

describe("runtime", () => {
  const bench = new Bench();
  afterAll(() => bench.runtime.close());

  it("passes the input to a macro and returns its result", async () => {
    expect(await bench.run("return { given: input };", { input: { a: [1, "x", null] } })).toEqual({
      given: { a: [1, "x", null] },
    });
  });

  it("returns undefined without a result", async () => {
    expect(await bench.invoke(macro("return;"))).toMatchObject({ result: undefined, statusMessage: undefined });
  });

  it("returns the status message and the used resources", async () => {
    const outcome = await bench.invoke(macro("setStatusMessage('Done'); await now(); return 1;"), { answer: () => 5 });
    expect(outcome).toEqual({ result: 1, statusMessage: "Done", usage: { cpu: expect.any(Number), hostCalls: 1 } });
    expect(outcome.usage.cpu).toBeGreaterThan(0);
  });

  it("calls the host in order", async () => {
    const body = "const [a, b] = await Promise.all([call('One', 1), call('Two')]); return [a, b];";
    const result = await bench.run(body, {
      answer: ({ argument }) => ({ result: (argument as { name: string }).name }),
    });
    expect(result).toEqual(["One", "Two"]);
    expect(bench.calls).toEqual([
      { name: "call", argument: { name: "One", input: 1 } },
      { name: "call", argument: { name: "Two" } },
    ]);
  });

  it("stores the versions of objects", async () => {
    const body = `const read = await objects.get("7K", { forUpdate: true });
    const { "~Elements": [found] } = await objects.find("Invoice", { where: { Paid: false } });
    await objects.update(read, { Paid: true }, { version: versionOf(read) });
    return [versionOf(read), versionOf(found), versionOf({})];`;
    const answers = new Map<string, unknown>([
      ["objects.get", { object: { "~ObjectID": "7K" }, version: 3 }],
      ["objects.find", { list: { "~Count": 1, "~Elements": [{ "~ObjectID": "7M" }] }, versions: [8] }],
      ["objects.update", { object: { "~ObjectID": "7K" }, version: 4 }],
    ]);
    expect(await bench.run(body, { answer: ({ name }) => answers.get(name) as never })).toEqual([3, 8, null]);
    expect(bench.calls).toEqual([
      { name: "objects.get", argument: { forUpdate: true, id: "7K" } },
      { name: "objects.find", argument: { where: { Paid: false }, className: "Invoice" } },
      { name: "objects.update", argument: { version: 3, id: "7K", attributes: { Paid: true } } },
    ]);
  });

  it("lets a macro catch a refusal of the host", async () => {
    const refused = () => Promise.reject(new ServiceError(713, { detail: "version" }));
    const body =
      "try { await objects.get('7K'); } catch (error) { return [error instanceof Refusal, error.code, error.message]; }";
    expect(await bench.run(body, { answer: refused })).toEqual([true, 713, "version"]);
  });

  it("rethrows a refusal of the host with its code", async () => {
    const refused = () => Promise.reject(new ServiceError(713, { detail: "version" }));
    await expect(bench.run("await objects.get('7K');", { answer: refused })).rejects.toEqual(
      new MacroRefusal(713, "version"),
    );
  });

  it("ends with any other error of the host", async () => {
    const fault = new Error("of the host");
    const body = "try { await now(); } catch { return 'caught'; }";
    await expect(bench.run(body, { answer: () => Promise.reject(fault) })).rejects.toBe(fault);
  });

  it("refuses with a code of the catalogue", async () => {
    await expect(bench.run("refuse(304, 'no such thing');")).rejects.toEqual(new MacroRefusal(304, "no such thing"));
    await expect(bench.run("refuse(12345);")).rejects.toMatchObject({
      kind: "threw",
      message: "refused with 12345, which is not an error code",
    });
    for (const code of [100, 201, 203, 302, 341, 312, 314, 706, 799, 800]) {
      await expect(bench.run(`refuse(${code});`)).rejects.toMatchObject({
        kind: "threw",
        message: `refused with ${code}, which is not about the request`,
      });
    }
  });

  it("reports the position of an error in a module", async () => {
    const failed = bench.invoke(macro("\nthrow new TypeError('so not');"));
    await expect(failed).rejects.toBeInstanceOf(MacroFault);
    await expect(failed).rejects.toMatchObject({
      kind: "threw",
      macro: "Probe",
      message: "TypeError: so not",
      line: 4,
      trace: expect.stringContaining("run (Probe:4:"),
    });
  });

  it("writes log lines", async () => {
    await bench.run("log('a', { b: 1 }, [undefined], undefined); log(Symbol.iterator.toString());");
    expect(bench.lines).toEqual(['a {"b":1} [null] undefined', "Symbol(Symbol.iterator)"]);
  });

  it("validates the input by its schema", async () => {
    const schema =
      "input: { type: 'object', $defs: { Id: { type: 'string', pattern: '^[0-9A-Z]+$' } }, properties: { ids: { type: 'array', items: { $ref: '#/$defs/Id' } } }, required: ['ids'] },";
    const code = macro("return input.ids.length;", schema);
    expect((await bench.invoke(code, { input: { ids: ["7K", "7M"] }, checksInput: true })).result).toBe(2);
    await expect(bench.invoke(code, { input: { ids: ["7K", "no"] }, checksInput: true })).rejects.toMatchObject({
      code: 307,
      detail: expect.stringMatching(/^\/ids\/1: /),
    });
    await expect(bench.invoke(code, { input: { ids: [] } })).rejects.toMatchObject({
      kind: "threw",
      message: expect.stringContaining("inspected"),
    });
    await expect(bench.invoke(code, { checksInput: true })).rejects.toMatchObject({
      code: 307,
      detail: "input: is missing",
    });
  });

  it("runs the checker before anything else", async () => {
    const code = macro("log('ran'); return 1;", "check: ({ caller }) => caller.userId === '1' ? true : 'yes',");
    await expect(bench.invoke(code)).rejects.toEqual(new MacroRefusal(401));
    expect(bench.lines).toEqual([]);
    expect((await bench.invoke(code, { argument: { skipCheck: true, caller: { userId: "7K" } } })).result).toBe(1);
  });

  it("reads the declaration of a module in JavaScript and TypeScript", async () => {
    const members = "access: { groups: ['Accounting'] }, timeout: 500, check: () => true,";
    expect(await bench.declare(macro("", members))).toEqual({
      access: { groups: ["Accounting"] },
      timeout: 500,
      check: true,
      run: true,
    });
    const typed =
      "import { defineHook } from '@sallyport/macros';\nexport default defineHook({ on: 'beforeSave' as const, classes: ['Invoice'], run: (saved: { object: object }): void => {} });";
    expect(await bench.declare(typed, "ts")).toEqual({ on: "beforeSave", classes: ["Invoice"], run: true });
  });

  it("reports the error in an invalid module", async () => {
    await expect(bench.declare("export default {")).rejects.toMatchObject({ kind: "invalid", line: 1 });
    await expect(bench.declare("let x: = 1", "ts")).rejects.toMatchObject({ kind: "invalid" });
    await expect(bench.declare("export const a = 1;")).rejects.toMatchObject({ kind: "invalid" });
    await expect(bench.declare("throw new Error('early')")).rejects.toMatchObject({ kind: "threw", message: "early" });
  });
});

describe("nested invocations", () => {
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
    it("have their own runtimes", async () => {
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

    it("nest up to the limit of the server", async () => {
      const { bench, runtime } = open(1);
      const lease = await runtime.lease(1_000, false);
      let depth = 0;
      const host = bench.host(async () => {
        depth += 1;
        return {
          result:
            depth < 8
              ? ((await lease.invoke(invocation("return 1 + (await call('Again'));"), host)).result ?? null)
              : 0,
        };
      });
      expect((await lease.invoke(invocation("return 1 + (await call('Again'));"), host)).result).toBe(8);
      lease.release();
    });

    it("use the limits of the outer invocation", async () => {
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

    it("use the time of the outer invocation in any number", async () => {
      const { bench, runtime } = open(1);
      const lease = await runtime.lease(1_000, false);
      const busy = () => invocation("const end = Date.now() + 60; while (Date.now() < end); return 1;");
      const many = "for (;;) await call('Busy');";
      await expect(
        lease.invoke(invocation(many, { cpu: 300, timeout: 60_000, hostCalls: 1e9 }), nesting(bench, lease, busy)),
      ).rejects.toMatchObject({ kind: "cpu" });
      lease.release();
    });

    it("count their host calls for the outer invocation", async () => {
      const { bench, runtime } = open(1);
      const lease = await runtime.lease(1_000, false);
      const inner = (calls: number) => () =>
        invocation(`for (let made = 0; made < ${calls}; made += 1) await now();`, { hostCalls: 1_000 });
      const outer = (calls: number) =>
        invocation(`for (let made = 0; made < ${calls}; made += 1) await call('Inner');`, { hostCalls: 20 });
      await expect(lease.invoke(outer(1), nesting(bench, lease, inner(20)))).rejects.toMatchObject({
        kind: "hostCalls",
        message: "called the server more than 19 times",
      });
      await expect(lease.invoke(outer(5), nesting(bench, lease, inner(4)))).rejects.toMatchObject({
        kind: "hostCalls",
        message: "called the server more than 20 times",
      });
      await expect(lease.invoke(outer(4), nesting(bench, lease, inner(4)))).resolves.toMatchObject({
        usage: { hostCalls: 4 },
      });
      lease.release();
    });

    it("can fail without damage to the lease if the outer invocation catches the error", async () => {
      const { bench, runtime } = open(1);
      const lease = await runtime.lease(1_000, false);
      const host = bench.host(async () => {
        await expect(
          lease.invoke(invocation("const all = []; for (;;) all.push([1]);", { cpu: 20_000 }), bench.host()),
        ).rejects.toMatchObject({ kind: "memory" });
        return { result: "failed" };
      });
      expect(
        (await lease.invoke(invocation("return call('Hog');", { cpu: 20_000, timeout: 20_000 }), host)).result,
      ).toBe("failed");
      lease.release();
    });

    it("end with the thread", async () => {
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
});
