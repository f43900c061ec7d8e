import type { JsonValue } from "@sallyport/storage";
import { caller, Bench } from "./runtime.ts";

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
    const input = { user: "Ada", pass: "word", appNames: ["field"] };

    it("returns the result of the hook", async () => {
      expect(
        await drive(
          "authenticate",
          "run(user, pass, appNames, { caller }) { return [user, pass, appNames, caller.userId]; }",
          input,
        ),
      ).toEqual(["Ada", "word", ["field"], "7K"]);
      expect(await drive("authenticate", "async run() { return null; }", input)).toBeNull();
      expect(await drive("authenticate", "run() {}", input)).toBeUndefined();
    });
  });

  describe("createUserProvider", () => {
    const input = {
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
      expect(await drive("createUserProvider", run, input)).toEqual([
        "7K",
        "google",
        "u",
        "Ada",
        "L",
        "a@example.org",
        "7K",
      ]);
      expect(await drive("createUserProvider", "async run() { return -1; }", input)).toBe(-1);
      expect(await drive("createUserProvider", "run() {}", input)).toBeUndefined();
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
