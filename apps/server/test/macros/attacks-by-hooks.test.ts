import { type Agent, type ClassContent, startTestService, type TestService } from "@sallyport/testing";

/** Attempts of an attacker who may write hooks. */

/** Milliseconds. */
const timeout = 120_000;

const Page: ClassContent = {
  name: "Page",
  attributes: [
    { name: "Title", type: "string" },
    { name: "Number", type: "number" },
    { name: "Facts", type: "json" },
  ],
};
const titles = ["page 1", "page 2", "page 3"];
const objects = titles.map((name, index) => ({
  name,
  className: "Page",
  attributes: { Title: name, Number: index + 1 },
}));

let service: TestService;
let demo: Agent;
let ids: string[];
beforeAll(async () => {
  service = await startTestService({
    databases: { "": { classes: [Page], users: [{ name: "demo" }, { name: "reader" }], objects } },
    configuration: { macros: { timeout: "30s" } },
  });
  demo = service.as("demo");
  ids = titles.map((name) => service.id(name));
});
afterEach(() => service.reset());
afterAll(() => service.close());

const put = (on: string, run: string, more = "") => {
  const Hostile = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "${on}", classes: ["Page"], ${more}\n${run}\n});`;
  return service.seed({ macros: { Hostile } });
};
const list = (query: object, as = demo) => as.get("/v1/objects/Page").query({ query: JSON.stringify(query) });
const listed = () => list({ sort: ["Number"] });
type Response = Awaited<ReturnType<typeof listed>>;
const statusOf = ({ status, body }: Response) => `${status}/${body.status.internalStatus}`;
const idsOnly = (id: string | undefined) => demo.get(`/v1/object/${id}`).query({ serialization: '{"type":"oid"}' });
const versions = () => Promise.all(ids.map(async (id) => (await idsOnly(id)).headers["etag"]));

const metaFields = (body: Response["body"]) =>
  body.data["~Elements"].map((each: Record<string, unknown>) => [
    each["~ObjectID"],
    each["~ClassName"],
    typeof each["~StoreTime"],
  ]);
const genuine = () => ids.map((id) => [id, "Page", "string"]);

describe("answer", () => {
  test.each([
    ["by assignment", "json.__proto__ = { administrator: true, Title: 'forged' };"],
    ["by name", "Object.defineProperty(json, '__proto__', { value: { administrator: true }, enumerable: true });"],
    [
      "by parsing",
      'Object.assign(json, JSON.parse(\'{"__proto__":{"administrator":true},"~UUID":"forged","~Version":9}\'));',
    ],
    [
      "behind a proxy",
      "Object.setPrototypeOf(json, new Proxy({}, { get: () => 'forged', has: () => true, ownKeys: () => ['administrator'] }));",
    ],
    [
      "of all objects",
      "Object.prototype.administrator = true; Object.prototype['~ObjectID'] = '1'; Object.prototype.set = { administrator: true };",
    ],
  ])("has no member that came as a prototype, %s", async (_how, what) => {
    await put("xRestApi_BuildSerialization", `run(obj, json) { ${what} }`);
    const { status, body } = await listed();
    expect([status, metaFields(body)]).toEqual([200, genuine()]);
    expect(body.data["~Elements"][0]).toMatchObject({ Title: "page 1", Number: 1 });
    expect(JSON.stringify(body)).not.toMatch(/administrator|forged|__proto__|~Version/);
    expect(Object.hasOwn(Object.prototype, "administrator")).toBe(false);
  });

  test.each([
    ["10 MB", "json.Text = 'x'.repeat(10_000_000);", "500/710"],
    ["1,000 levels", "let deep = 1; for (let n = 0; n < 1_000; n += 1) deep = [deep]; json.Deep = deep;", "500/710"],
    ["itself", "json.Self = json;", "500/710"],
    ["a BigInt", "json.Number = 10n;", "500/710"],
    [
      "a getter that throws",
      "Object.defineProperty(json, 'Title', { get() { throw new Error('no'); }, enumerable: true });",
      "500/710",
    ],
    ["a toJSON that never ends", "json.Title = { toJSON() { for (;;); } };", "500/710"],
    ["a promise that never settles", "return new Promise(() => {});", "500/710"],
    ["a flood of members", "for (let n = 0; n < 3_000_000; n += 1) json['m' + n] = n;", "500/710"],
    ["a session code", "refuse(201, 'log in again');", "500/710"],
  ])(
    "is refused when a hook makes %s",
    async (_what, run, expected) => {
      await put("xRestApi_BuildSerialization", `run(obj, json) { ${run} }`, "timeout: 2_000,");
      expect(statusOf(await listed())).toBe(expected);
      expect((await idsOnly(ids[0])).status).toBe(200);
    },
    timeout,
  );

  test("omits values that JSON cannot express", async () => {
    await put(
      "xRestApi_BuildSerialization",
      "run(obj, json) { json.Title = undefined; json.Number = () => 1; json.Facts = { toJSON() {} }; json.More = Symbol('x'); json.toJSON = () => ({ Title: 'forged' }); }",
    );
    const { status, body } = await listed();
    expect([status, metaFields(body)]).toEqual([200, genuine()]);
    expect(Object.keys(body.data["~Elements"][0])).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]);
  });

  test.each([
    ["swaps its objects", "changes = [...changes].reverse();"],
    ["returns more than it was given", "changes = [...changes, null, null];"],
    ["returns fewer", "changes = changes.slice(1);"],
    ["returns something else", "changes = { 0: null, length: 3 };"],
  ])("stays with its object when a hook %s", async (_what, what) => {
    const tamper = `const { stringify } = JSON; Object.defineProperty(Array.prototype, "toJSON", { value() {
      if (this.length !== 3 || this.busy) return this;
      let changes = [...this]; ${what}
      return changes;
    } });`;
    await put(
      "xRestApi_BuildSerialization",
      `run(obj, json) { ${tamper.replaceAll("\n", " ")} json.Label = obj["~ObjectID"]; json["~ObjectID"] = "1"; }`.replace(
        "Object.defineProperty",
        "if (!Array.prototype.toJSON) Object.defineProperty",
      ),
    );
    const response = await listed();
    if (response.status === 200) expect(metaFields(response.body)).toEqual(genuine());
    else expect(statusOf(response)).toBe("500/710");
  });

  test("contains nothing of another request", async () => {
    await put(
      "xRestApi_BuildSerialization",
      "run(obj, json, { caller }) { globalThis.seen ??= []; seen.push(caller.name); json.Seen = seen.join(); Math.seen = (Math.seen ?? 0) + 1; json.Count = Math.seen; }",
    );
    const reader = service.as("reader");
    const answers = await Promise.all([demo, reader, demo, reader].map((agent) => list({ oids: [ids[0]] }, agent)));
    expect(answers.map(({ body }) => [body.data["~Elements"][0].Seen, body.data["~Elements"][0].Count])).toEqual([
      ["demo", 1],
      ["reader", 1],
      ["demo", 1],
      ["reader", 1],
    ]);
  });

  test("is made by hooks that can only read", async () => {
    await put(
      "xRestApi_BuildSerialization",
      `async run(obj, json, { objects, ...more }) {
      json.Codes = [];
      for (const attempt of [() => objects.create("Page", {}), () => objects.update(obj["~ObjectID"], { Title: "x" }), () => objects.delete(obj["~ObjectID"]), () => objects.lock(obj["~ObjectID"]), () => objects.get(obj["~ObjectID"], { forUpdate: true })]) {
        await attempt().then(() => json.Codes.push(0), ({ code }) => json.Codes.push(code));
      }
      json.More = Object.keys(more).sort();
    }`,
    );
    const { body } = await list({ oids: [ids[0]] });
    expect(body.data["~Elements"][0]).toMatchObject({
      Codes: [307, 307, 307, 307, 307],
      More: ["caller", "log", "now", "random", "uuid"],
    });
    expect(await versions()).toEqual(['"1"', '"1"', '"1"']);
  });
});

describe("list", () => {
  test.each([
    ["a prototype", 'set.narrow(JSON.parse(\'{"__proto__":{"Number":1}}\'));'],
    ["an unknown attribute", "set.narrow({ constructor: 1 });"],
    ["an unknown operator", "set.narrow({ Title: { $where: 'true' } });"],
    [
      "a filter of 1,000 levels",
      "let deep = { Number: 1 }; for (let n = 0; n < 1_000; n += 1) deep = { $not: deep }; set.narrow(deep);",
    ],
    [
      "a filter of 60 levels",
      "let deep = { Number: 1 }; for (let n = 0; n < 60; n += 1) deep = { $not: deep }; set.narrow(deep);",
    ],
    ["101 filters", "for (let n = 0; n < 101; n += 1) set.narrow({ Number: n });"],
    ["no filter", "set.narrow('Number');"],
    ["10 MB of text", "set.narrow({ Title: 'x'.repeat(10_000_000) });"],
    ["invalid ids", "set.only([{ $ne: 1 }]);"],
    ["ids that are not a list", "set.only('1');"],
    ["an order by an unknown attribute", "set.order(['__proto__']);"],
    ["an order that is not a list", "set.order({ Number: 1 });"],
    ["itself", "set.narrow(set);"],
  ])(
    "is refused when a hook requests %s",
    async (_what, run) => {
      await put("xRestApi_FindObjects", `run(set) { ${run} return true; }`, "timeout: 2_000,");
      expect(statusOf(await list({ macro: "Hostile" }))).toBe("500/710");
      expect((await listed()).body.data["~Count"]).toBe(3);
    },
    timeout,
  );

  test("follows the client's query, even if a hook changes its input", async () => {
    await put(
      "xRestApi_FindObjects",
      "run(set) { set.className = 'User'; set.where = {}; delete set.oids; Object.setPrototypeOf(set, { where: {} }); set.sort = ['Name']; return true; }",
    );
    const { status, body } = await list({ macro: "Hostile", where: { Number: 2 } });
    expect([status, metaFields(body)]).toEqual([200, [[ids[1], "Page", "string"]]]);
  });

  test.each(["1", "'true'", "{}", "Promise.resolve(1)", "undefined", "null", "new Boolean(true)", "[true]"])(
    "is refused when the hook returns %s",
    async (given) => {
      await put("xRestApi_FindObjects", `run() { return ${given}; }`);
      expect(statusOf(await list({ macro: "Hostile" }))).toBe("400/307");
    },
  );
});

describe("write", () => {
  test.each([
    ["a value of another type", "object.Number = 'many';"],
    ["an invalid number", "object.Title = NaN; object.Number = 'x';"],
    ["1,000 levels", "let deep = 1; for (let n = 0; n < 1_000; n += 1) deep = [deep]; object.Facts = deep;"],
    ["50 levels", "let deep = 1; for (let n = 0; n < 50; n += 1) deep = [deep]; object.Facts = deep;"],
    ["more than an object may contain", "object.Title = 'x'.repeat(1_100_000);"],
    ["10 MB", "object.Title = 'x'.repeat(10_000_000);"],
    ["names that no body may have", "object.Facts = JSON.parse('{\"__proto__\":1}');"],
    ["half a surrogate pair", "object.Title = '\\ud800';"],
    ["a zero", "object.Title = 'a\\u0000b';"],
    ["an unknown attribute", "object.constructor = 1;"],
  ])(
    "is refused and leaves nothing when a hook sets %s",
    async (_what, run) => {
      await put("beforeSave", `run({ object }) { ${run} }`, "timeout: 2_000,");
      const before = [(await listed()).body, await versions()];
      expect(statusOf(await demo.patch(`/v1/object/${ids[0]}`).send({ Title: "changed" }))).toBe("500/710");
      expect([(await listed()).body, await versions()]).toEqual(before);
    },
    timeout,
  );

  test("changes its own object, even if a hook changes the meta-fields", async () => {
    await put(
      "beforeSave",
      "run({ object, previous, given }) { object['~ObjectID'] = given.Title; object['~ClassName'] = 'User'; previous.Title = 'x'; given.Number = 99; Object.setPrototypeOf(object, { Number: 98 }); }",
    );
    const { status, body } = await demo.patch(`/v1/object/${ids[0]}`).send({ Title: ids[1] });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ "~ObjectID": ids[0], "~ClassName": "Page", Title: ids[1], Number: 1 }),
    ]);
    expect(await versions()).toEqual(['"2"', '"1"', '"1"']);
    const stored = (await list({ oids: ids })).body.data["~Elements"];
    expect(stored.map(({ Title }: { Title: string }) => Title)).toEqual([ids[1], "page 2", "page 3"]);
  });
});
