import { setTimeout as delay } from "node:timers/promises";
import type { HostCall, MacroHost, JsonValue } from "@sallyport/core";
import { Invocation } from "../src/pool/invocation.ts";
import { Heartbeat, READY_PER_WORKER } from "../src/worker/messages.ts";
import { benches, caller, invocation, limits, macro, Bench } from "./runtime.ts";

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
      const began = performance.now();
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
      // Its time starts when it runs.
      expect(performance.now() - began).toBeLessThan(20_000);
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
    while (bench.calls.length === 0) await delay(5);
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
      given: invocation("return 1;"),
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
      const given = lease.invoke(
        {
          ...invocation(
            "const first = await now(); const own = await call('Write', input); return [first, own, await now()];",
            { timeout: 60_000 },
          ),
          argument: { skipCheck: false, caller, input: number },
        },
        host,
      );
      const outcome = given.then(({ result }) => result, kindOf);
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

describe("hooks", () => {
  const bench = new Bench();
  afterAll(() => bench.runtime.close());

  function hook(run: string): string {
    return `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "beforeSave", classes: ["Invoice"], ${run} });`;
  }

  async function drive(
    driver: string,
    run: string,
    argument: { readonly [name: string]: JsonValue },
  ): Promise<JsonValue | undefined> {
    return (await bench.invoke(hook(run), { driver, argument: { ...argument, caller }, answer: () => 7 })).result;
  }

  describe("buildSerialization", () => {
    const json = { "~ObjectID": "7K", Number: "1", Address: { City: "Brno", Lines: ["a"] }, Old: 1 };
    const build = (run: string, items: JsonValue = [{ json, rest: { Total: 5 } }]) =>
      drive("buildSerialization", run, { items });

    it("shows the hook all attributes and returns its changes to the written ones", async () => {
      const run =
        "run(object, json) { json.Title = object.Number + '/' + object.Total; delete json.Old; json.Number = '2'; }";
      expect(await build(run)).toEqual([{ set: { Title: "1/5", Number: "2" }, removed: ["Old"] }]);
    });

    it("returns changes inside a member", async () => {
      expect(await build("run(object, json) { json.Address.Lines.push('b'); }")).toEqual([
        { set: { Address: { City: "Brno", Lines: ["a", "b"] } }, removed: [] },
      ]);
    });

    it("returns nothing without changes", async () => {
      expect(await build("run(object, json) { json.Number = '1'; json.Address = json.Address; }")).toEqual([null]);
      expect(await build("run() {}", [])).toEqual([]);
    });

    it("processes all objects in one invocation, in order", async () => {
      const items = Array.from({ length: 100 }, (_one, number) => ({
        json: { "~ObjectID": String(number), Number: number },
      }));
      const result = (await build(
        "async run(object, json, { now }) { json.Double = object.Number * 2; if (object.Number === 50) json.Now = await now(); }",
        items,
      )) as { set: object }[];
      expect(result).toHaveLength(100);
      expect(result[50]).toEqual({ set: { Double: 100, Now: 7 }, removed: [] });
      expect(result[51]).toEqual({ set: { Double: 102 }, removed: [] });
    });

    it("keeps the object itself read-only", async () => {
      await expect(build("run(object) { object.Number = 3; }")).rejects.toMatchObject({
        kind: "threw",
        message: expect.stringContaining("read-only"),
      });
    });

    it("passes names of any kind to the host", async () => {
      expect(
        await build(
          `run(object, json) { json["~ObjectID"] = "1"; Object.defineProperty(json, "__proto__", { value: 1, enumerable: true }); json.constructor = 2; }`,
        ),
      ).toEqual([{ set: JSON.parse('{"~ObjectID":"1","__proto__":1,"constructor":2}') as object, removed: [] }]);
    });

    it("reads each getter once", async () => {
      const run =
        "run(object, json) { let n = 0; Object.defineProperty(json, 'Number', { enumerable: true, configurable: true, get: () => (n += 1) }); }";
      expect(await build(run)).toEqual([{ set: { Number: 1 }, removed: [] }]);
    });
  });

  describe("findObjects", () => {
    const find = (run: string, query: { readonly [name: string]: JsonValue } = {}) =>
      drive("findObjects", run, { className: "Invoice", ...query });

    it("returns the query changes of the hook", async () => {
      const run =
        "run(set) { set.narrow({ Paid: false }); set.narrow({ Total: { gt: 5 } }); set.order(['Date']); set.order(['-Date']); set.only(['7K']); return true; }";
      expect(await find(run)).toEqual({
        accepted: true,
        where: [{ Paid: false }, { Total: { gt: 5 } }],
        sort: ["-Date"],
        oids: [["7K"]],
      });
    });

    it("shows the hook the client's query", async () => {
      const run = "run(set, context) { context.log(set); return true; }";
      await find(run, { where: { Paid: true }, sort: ["Number"] });
      expect(JSON.parse(bench.lines[0] as string)).toEqual({
        className: "Invoice",
        where: { Paid: true },
        sort: ["Number"],
      });
    });

    it.each(["return false;", "return 1;", "return 'true';", "", "return Promise.resolve(false);"])(
      "accepts only true as acceptance: %p",
      async (body) => {
        expect(await find(`async run() { ${body} }`)).toEqual({ accepted: false, where: [], oids: [] });
      },
    );
  });

  describe("save and delete hooks", () => {
    it("returns the changes of a beforeSave hook", async () => {
      const items = [
        { object: { Number: "1", Total: 5 }, previous: null, given: { Number: "1" } },
        { object: { Number: "2" }, previous: { Number: "1" }, given: {} },
      ];
      const run =
        "async run({ object, previous, given }) { if (previous === null) object.Title = given.Number; else delete object.Number; }";
      expect(await drive("beforeSave", run, { items })).toEqual([
        { set: { Title: "1" }, removed: [] },
        { set: {}, removed: ["Number"] },
      ]);
    });

    it.each(["afterSave", "beforeDelete", "afterDelete"])("returns nothing from %s", async (driver) => {
      const run =
        "async run({ object }, { call, log, objects }) { log(object.Number, typeof call); object.Number = '9'; return 5; }";
      expect(
        await drive(driver, run, { items: [{ object: { Number: "1" } }, { object: { Number: "2" } }] }),
      ).toBeUndefined();
      expect(bench.lines).toEqual(["1 undefined", "2 undefined"]);
    });

    it("stops at a refusal and reports nothing after it", async () => {
      const run =
        "run({ object }, { log }) { log(object.Number); if (object.Number === '1') refuse(404, 'not this one'); }";
      await expect(
        drive("beforeDelete", run, { items: [{ object: { Number: "1" } }, { object: { Number: "2" } }] }),
      ).rejects.toMatchObject({ code: 404, detail: "not this one" });
      expect(bench.lines).toEqual(["1"]);
    });
  });

  describe("authenticate", () => {
    const given = { user: "Ada", pass: "word", appNames: ["field"] };

    it("returns the result of the hook", async () => {
      expect(
        await drive(
          "authenticate",
          "run(user, pass, appNames, { caller }) { return [user, pass, appNames, caller.userId]; }",
          given,
        ),
      ).toEqual(["Ada", "word", ["field"], "7K"]);
      expect(await drive("authenticate", "async run() { return null; }", given)).toBeNull();
      expect(await drive("authenticate", "run() {}", given)).toBeUndefined();
    });
  });

  describe("createUserProvider", () => {
    const given = {
      userObject: { "~ObjectID": "7K" },
      providerConfig: { id: "google" },
      userUuid: "u",
      name: "Ada",
      surname: "L",
      email: "a@example.org",
    };

    it("passes its six arguments and returns the result of the hook", async () => {
      const run =
        "run(user, config, uuid, name, surname, email, { caller }) { return [user['~ObjectID'], config.id, uuid, name, surname, email, caller.userId]; }";
      expect(await drive("createUserProvider", run, given)).toEqual([
        "7K",
        "google",
        "u",
        "Ada",
        "L",
        "a@example.org",
        "7K",
      ]);
      expect(await drive("createUserProvider", "async run() { return -1; }", given)).toBe(-1);
      expect(await drive("createUserProvider", "run() {}", given)).toBeUndefined();
    });
  });

  it("refuses to call other functions of the sandbox", async () => {
    for (const driver of ["constructor", "__proto__", "toString", "nothing", ""]) {
      await expect(drive(driver, "run() {}", {})).rejects.toMatchObject({
        kind: "threw",
        message: `TypeError: no driver ${driver}`,
      });
    }
  });

  it("fails a hook without a function to run", async () => {
    await expect(drive("beforeSave", "run: 5", { items: [] })).rejects.toMatchObject({
      kind: "threw",
      message: "TypeError: run is not a function",
    });
  });
});
