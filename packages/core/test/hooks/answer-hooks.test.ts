import { ServiceError } from "@sallyport/storage";
import {
  type Hook,
  type MemberChanges,
  Database,
  type SerializedItem,
  getObject,
  listObjects,
  updateObject,
  createObject,
} from "../../src/index.ts";
import { digests, policy } from "../fixture.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";

/** Hooks that change answers. */
describe("answer hooks", () => {
  type BuildHook = Hook<readonly SerializedItem[], readonly (MemberChanges | null)[]>;

  const build = (
    classes: readonly string[],
    each: (item: SerializedItem) => MemberChanges | null,
    name = "build",
  ): BuildHook => ({ name, classes, run: async (_caller, items) => items.map(each) });
  const add = (members: MemberChanges["set"], removed: readonly string[] = []): MemberChanges => ({
    set: members,
    removed,
  });

  let f: HookFixture;
  let boss: string;
  let id: string;
  beforeEach(async () => {
    f = await openHookFixture();
    [boss] = (await f.fixture.insert({ className: "Manager", attributes: { Name: "Ada", Age: 50 } })) as [string];
    [id] = (await f.fixture.insert({
      className: "Person",
      attributes: { Name: "Bob", Age: 30, Boss: boss },
      links: { Boss: [boss] },
    })) as [string];
  });

  const get = async (serialization?: Parameters<typeof getObject>[2]) =>
    (await getObject(f.context, { kind: "id", id }, serialization)).object;
  const list = (serialization?: object) =>
    listObjects(f.context, {
      className: "Person",
      query: undefined,
      page: 0,
      perPage: 10,
      cursor: undefined,
      serialization,
    });

  test("fill and change all or part of an answer, and run once for all objects", async () => {
    const batches: SerializedItem[][] = [];
    const hook = build(["Person"], ({ json, rest }) =>
      add({ Label: `${(json["Name"] ?? rest["Name"]) as string}?`, "~ObjectID": "1", "~Forged": true }, [
        "Age",
        "~ClassName",
      ]),
    );
    f.hooks.use({
      buildSerialization: [{ ...hook, run: (caller, items) => (batches.push([...items]), hook.run(caller, items)) }],
    });
    const full = await get();
    expect(full).toEqual({
      "~ClassName": "Person",
      "~ObjectID": id,
      "~UUID": expect.any(String),
      "~StoreTime": expect.any(String),
      Name: "Bob",
      Label: "Bob?",
      Boss: {
        "~ClassName": "Manager",
        "~ObjectID": boss,
        "~StoreTime": expect.any(String),
        Name: "Ada",
        Label: "Ada?",
      },
    });
    expect(batches.map((items) => items.map(({ rest }) => rest))).toEqual([
      [{ "~UUID": (await f.stored(boss))?.uuid }, {}],
    ]);
    batches.length = 0;
    expect((await list({ type: "custom", fields: ["Age"] })).list["~Elements"]).toEqual([
      {
        "~ClassName": "Manager",
        "~ObjectID": boss,
        "~UUID": expect.any(String),
        "~StoreTime": expect.any(String),
        Label: "Ada?",
      },
      {
        "~ClassName": "Person",
        "~ObjectID": id,
        "~UUID": expect.any(String),
        "~StoreTime": expect.any(String),
        Label: "Bob?",
      },
    ]);
    expect(batches.map((items) => items.map(({ rest }) => rest))).toEqual([
      [
        { Name: "Ada" },
        { Name: "Bob", Boss: { "~ClassName": "Manager", "~ObjectID": boss, "~StoreTime": expect.any(String) } },
      ],
    ]);
  });

  test("make the output of the type macro", async () => {
    f.hooks.use({ buildSerialization: [build(["Person"], ({ rest }) => add({ Years: rest["Age"] ?? null }))] });
    expect(await get({ type: "macro" })).toEqual({
      "~ClassName": "Person",
      "~ObjectID": id,
      "~UUID": expect.any(String),
      "~StoreTime": expect.any(String),
      Years: 30,
    });
    f.hooks.use({});
    expect(Object.keys(await get({ type: "macro" }))).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]);
  });

  test("do not run for ids and meta-fields, nor for other classes", async () => {
    let asked = 0;
    f.hooks.use({
      buildSerialization: [build(["Person"], () => ((asked += 1), null)), build(["Task"], () => ((asked += 1), null))],
    });
    await get({ type: "oid" });
    await get({ type: "empty" });
    expect(asked).toBe(0);
    await get({ depth: 0 });
    expect(asked).toBe(1);
    await get({ depth: 1 });
    expect(asked).toBe(3);
  });

  test("see attributes that earlier hooks removed", async () => {
    const seen: SerializedItem[] = [];
    f.hooks.use({
      buildSerialization: [
        build(["Person"], () => add({}, ["Age"]), "takes"),
        build(["Person"], (item) => (seen.push(item), null), "sees"),
      ],
    });
    expect(await get({ depth: 0 })).not.toHaveProperty("Age");
    expect(seen.map(({ rest }) => rest)).toEqual([{ Age: 30 }]);
  });

  test("receive smaller batches when earlier hooks added much", async () => {
    await f.fixture.insert(
      ...Array.from({ length: 9 }, (_, index) => ({ className: "Person", attributes: { Name: `P${index}` } })),
    );
    const sizes: [string, number][] = [];
    const counted = (hook: BuildHook): BuildHook => ({
      ...hook,
      run: (caller, items) => (sizes.push([hook.name, items.length]), hook.run(caller, items)),
    });
    const long = "x".repeat(100_000);
    f.hooks.use({
      buildSerialization: [
        counted(build(["Person"], () => add({ Label: long }), "adds")),
        counted(build(["Person"], () => null, "sees")),
      ],
    });
    await list({ depth: 0 });
    const [first, ...others] = sizes;
    expect(first?.[0]).toBe("adds");
    expect(others.length).toBeGreaterThan(1);
    expect(others.map(([, count]) => count).reduce((sum, count) => sum + count, 0)).toBe(first?.[1]);
  });

  test("see only what the caller sees", async () => {
    const [secret] = (await f.fixture.insert({ className: "Secret", attributes: { Word: "hidden" } })) as [string];
    await updateObject(
      { ...f.context, principal: { ...f.context.principal, administrator: true } },
      { kind: "id", id },
      { attributes: { Secret: secret }, expectedVersions: null, serialization: undefined },
    );
    const items: unknown[] = [];
    f.hooks.use({ buildSerialization: [build(["Person", "Secret"], (item) => (items.push(item), null))] });
    await get({ type: "macro" });
    await get();
    expect(JSON.stringify(items)).not.toContain("hidden");
    expect(items).toMatchObject([{ rest: { Secret: null } }, {}, { json: { Secret: null } }]);
  });

  test("refuse a read, but not a completed write, whose answer has meta-fields only", async () => {
    f.hooks.use({
      buildSerialization: [
        { name: "no", classes: ["Person"], run: () => Promise.reject(new ServiceError(404, { detail: "no" })) },
      ],
    });
    await expect(get()).rejects.toMatchObject({ code: 404, detail: "no" });
    await expect(list()).rejects.toMatchObject({ code: 404 });
    const created = await createObject(f.context, "Person", { Name: "Carl" });
    expect(Object.keys(created.object)).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]);
    expect(f.hooks.ignoredErrors).toMatchObject([{ code: 404 }]);
    expect(await f.stored(created.object["~ObjectID"])).toMatchObject({ attributes: { Name: "Carl" } });
  });

  test("cannot exceed the size limit of answers, however often their additions repeat", async () => {
    const { storage, files } = f.context.database;
    const database = new Database({ alias: "", name: "small", policy, storage, files, digests, answerBytes: 20_000 });
    const context = { ...f.context, database };
    const people = await f.fixture.insert(
      ...Array.from({ length: 30 }, () => ({
        className: "Person",
        attributes: { Name: "x", Boss: boss },
        links: { Boss: [boss] },
      })),
    );
    const run = (bytes: number, classes: readonly string[]) => {
      f.hooks.use({ buildSerialization: [build(classes, () => add({ Added: "é".repeat(bytes / 2) }))] });
      return listObjects(context, {
        className: "Person",
        query: undefined,
        page: 0,
        perPage: 100,
        cursor: undefined,
        serialization: undefined,
      });
    };
    expect((await run(200, ["Manager"])).list["~Elements"]).toHaveLength(people.length + 2);
    // Written once as a root, and as the boss of all others.
    await expect(run(800, ["Manager"])).rejects.toMatchObject({ code: 307 });
    await expect(run(30_000, ["Person"])).rejects.toMatchObject({ code: 307 });
    f.hooks.use({ buildSerialization: [build(["Person"], () => add({ Added: "x".repeat(30_000) }))] });
    expect(Object.keys((await createObject(context, "Person", { Name: "Carl" })).object)).toHaveLength(4);
  });

  test("read objects as they are stored", async () => {
    let inside: unknown;
    f.hooks.use({
      buildSerialization: [
        {
          name: "reading",
          classes: ["Person"],
          run: async (caller, items) => (
            (inside = (await getObject(caller as never, { kind: "id", id })).object),
            items.map(() => add({ Note: "hooked" }))
          ),
        },
      ],
    });
    expect(await get()).toMatchObject({ Note: "hooked" });
    expect(inside).toMatchObject({ Name: "Bob", Boss: { Name: "Ada" } });
    expect(inside).not.toHaveProperty("Note");
  });

  test("cost no statement where none exist", async () => {
    const calls: string[] = [];
    const objects = new Proxy(f.context.r.objects, {
      get: (target, name) => (calls.push(String(name)), Reflect.get(target, name).bind(target)),
    });
    const context = { ...f.context, r: { ...f.context.r, objects } };
    await getObject(context, { kind: "id", id }, { depth: 0 });
    expect(calls).toEqual(["get", "outlines"]);
    calls.length = 0;
    f.hooks.use({ buildSerialization: [build(["Person"], () => null)] });
    await getObject(context, { kind: "id", id }, { depth: 0 });
    expect(calls).toEqual(["get", "outlines"]);
  });
});
