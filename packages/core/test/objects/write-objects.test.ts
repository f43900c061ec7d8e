import {
  type ClassDefinition,
  type ObjectId,
  OutdatedModelError,
  type Repositories,
  seesAll,
  type StoredObject,
} from "@sallyport/storage";
import {
  type SessionContext,
  JoinedUnit,
  updateObject,
  createObject,
  getObject,
  listObjects,
  readStructure,
  type ObjectContext,
} from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

describe("writing objects", () => {
  const everything = ["read", "create", "write", "delete"] as const;
  const classes: ClassDefinition[] = [
    {
      name: "Person",
      base: null,
      attributes: [
        { name: "Name", type: "string", mandatory: true },
        { name: "Boss", type: "reference", target: "Person" },
        { name: "Team", type: "collection", target: "Person" },
        { name: "Anything", type: "reference" },
        { name: "Hidden", type: "reference", target: "Secret" },
      ],
      rights: [
        { group: "A1", permissions: everything },
        { group: "B2", permissions: ["read"] },
        { group: "C3", permissions: ["create", "write"] },
      ],
    },
    { name: "Manager", base: "Person", attributes: [], rights: [{ group: "A1", permissions: everything }] },
    { name: "Secret", base: null, attributes: [{ name: "Name", type: "string" }], rights: [] },
  ];

  let fixture: Fixture;
  let context: ObjectContext;
  let calls: string[];

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(...classes);
    context = counted(await sessionContext(fixture, { groups: ["A1"] }));
    await context.database.models.current(context.modelGeneration, fixture.r.model);
    calls = [];
  });

  /**
   * Records the calls to the object storage. The storage uses another copy of the domain, with its own error classes.
   */
  function counted(plain: ObjectContext): ObjectContext {
    const objects = new Proxy(plain.r.objects, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return async (...values: unknown[]) => {
          calls.push(String(name));
          try {
            return await call.apply(target, values);
          } catch (error) {
            throw (error as Error).constructor.name === "OutdatedModelError" ? new OutdatedModelError() : error;
          }
        };
      },
    });
    return { ...plain, r: { ...plain.r, objects } as Repositories };
  }

  const patch = (id: string, input: Parameters<typeof updateObject>[2]["attributes"], as = context) =>
    updateObject(as, { kind: "id", id }, { attributes: input, expectedVersions: null, serialization: undefined });
  const person = async (className = "Person") =>
    (await fixture.insert({ className, attributes: { Name: "somebody" } }))[0] as string;
  const refused = (code: number, detail?: unknown) =>
    expect.objectContaining(detail === undefined ? { code } : { code, detail });

  test("takes one round trip without links, one more for link targets, and reads no target twice", async () => {
    const id = await person();
    await createObject(context, "Person", { Name: "new" });
    expect(calls.splice(0)).toEqual(["insert"]);
    const { object } = await createObject(context, "Person", { Name: "new", Boss: id, Team: [id] });
    expect(calls.splice(0)).toEqual(["get", "insert"]);
    expect(object["Boss"]).toMatchObject({ "~ObjectID": id, Name: "somebody" });
    await patch(id, { Name: "changed" });
    expect(calls.splice(0)).toEqual(["get", "update"]);
  });

  test("stores ids for references, and passes their targets to the storage", async () => {
    const [one, other] = [await person(), await person("Manager")];
    const [found] = await fixture.r.objects.get([other], seesAll);
    const { object } = await createObject(context, "Person", {
      Name: "new",
      Boss: { "~UUID": found?.uuid ?? "" },
      Team: [one, found?.uuid.toUpperCase() ?? ""],
    });
    const [stored] = await fixture.r.objects.get([object["~ObjectID"]], seesAll);
    expect(stored?.attributes).toEqual({ Name: "new", Boss: other, Team: [one, other] });
    expect(object).toMatchObject({ Boss: { "~ObjectID": other, "~ClassName": "Manager" }, Team: { "~Count": 2 } });
  });

  test("passes cleared references to the storage, and stores empty lists for cleared collections", async () => {
    const [one, other] = [await person(), await person()];
    const [id] = (await fixture.insert({
      className: "Person",
      attributes: { Name: "new", Boss: one, Team: [other] },
      links: { Boss: [one], Team: [other] },
    })) as [string];
    await patch(id, { Boss: null, Team: null });
    expect((await fixture.r.objects.get([id], seesAll))[0]?.attributes).toEqual({ Name: "new", Boss: null, Team: [] });
    expect(await fixture.r.deletion.referrers([one, other], { attributes: null, limit: 10 })).toEqual([]);
  });

  test("refuses references to invisible objects, to other classes, and duplicates", async () => {
    const [one, hidden, restricted] = [
      await person(),
      (await fixture.insert({ className: "Secret", attributes: {} }))[0] as string,
      (await fixture.insert({ className: "Person", attributes: {}, readers: ["XYZ"] }))[0] as string,
    ];
    const image = (await fixture.insert({ className: "Image", attributes: {} }))[0] as string;
    const administrator = await sessionContext(fixture, { administrator: true });
    const [{ uuid }] = (await fixture.r.objects.get([one], seesAll)) as [StoredObject];
    const unseen = "There is no object with this id or UUID.";
    for (const [input, detail, as] of [
      [{ Boss: "ZZZZ" }, `at /Boss: ${unseen}`, context],
      [{ Anything: hidden }, `at /Anything: ${unseen}`, context],
      [{ Team: [one, restricted] }, `at /Team/1: ${unseen}`, context],
      [{ Boss: { "~ObjectID": one, "~ClassName": "Manager" } }, `at /Boss: ${unseen}`, context],
      [{ Boss: { "~ObjectID": one, "~UUID": "0f8fad5b-d9cb-469f-a165-70867728950e" } }, `at /Boss: ${unseen}`, context],
      [{ Team: [one, uuid] }, "at /Team/1: The collection already contains the object.", context],
      [{ Boss: image }, "at /Boss: An object of the class Person is expected.", administrator],
      [{ Hidden: one }, "at /Hidden: An object of another class is expected.", context],
    ] as const) {
      await expect(patch(one, input, as)).rejects.toEqual(refused(307, detail));
    }
    await expect(
      patch(one, { Anything: image, Boss: { "~ObjectID": one, "~UUID": uuid } }, administrator),
    ).resolves.toMatchObject({ version: 2 });
  });

  test("checks the caller before the body", async () => {
    const id = await person();
    const [hidden] = await fixture.insert({ className: "Secret", attributes: {} });
    const reader = await sessionContext(fixture, { groups: ["B2"] });
    const blind = await sessionContext(fixture, { groups: ["C3"] });
    for (const input of [{ Name: "fine" }, { Nonsense: 1 }]) {
      await expect(patch(id, input, reader)).rejects.toEqual(refused(404));
      await expect(createObject(reader, "Person", input)).rejects.toEqual(refused(404));
      await expect(patch(id, input, blind)).rejects.toEqual(refused(304));
      await expect(createObject(blind, "Person", input)).rejects.toEqual(refused(304));
      await expect(patch(hidden as string, input)).rejects.toEqual(refused(304));
      for (const name of ["Secret", "Nothing", "constructor"])
        await expect(createObject(context, name, input)).rejects.toEqual(refused(304));
    }
  });

  test("prepares a write again under the new rules after a concurrent model change", async () => {
    const id = await person();
    const [first] = classes as [ClassDefinition];
    await fixture.define({
      ...first,
      attributes: [...first.attributes, { name: "Age", type: "number", mandatory: true }],
    });
    await expect(patch(id, { Name: "old" })).resolves.toMatchObject({ object: { Name: "old" }, version: 2 });
    expect(calls.splice(0)).toEqual(["get", "update", "update"]);
    await expect(createObject(context, "Person", { Name: "young" })).rejects.toEqual(
      refused(307, "at /Age: The attribute is mandatory."),
    );
  });

  test("does not read an object of a known class, and reveals nothing about a hidden one", async () => {
    const id = await person();
    await patch(id, { Name: "first" });
    calls.splice(0);
    await expect(patch(id, { Name: "second" })).resolves.toMatchObject({ version: 3 });
    expect(calls.splice(0)).toEqual(["update"]);
    const [kept] = await fixture.insert({ className: "Person", attributes: { Name: "kept" }, readers: ["A9"] });
    const administrator = await sessionContext(fixture, { administrator: true });
    await patch(kept as string, { Name: "seen" }, { ...administrator, database: context.database });
    for (const input of [{ Name: "fine" }, { Nonsense: 1 }])
      await expect(patch(kept as string, input)).rejects.toEqual(refused(304));
    await expect(patch(id, { Nonsense: 1 })).rejects.toMatchObject({ code: 307 });
  });

  test("gives up when the model keeps changing", async () => {
    const id = await person();
    const restless = {
      ...context.r,
      objects: {
        ...context.r.objects,
        get: context.r.objects.get,
        update: async () => {
          throw new OutdatedModelError();
        },
      },
    };
    await expect(patch(id, { Name: "new" }, { ...context, r: restless as unknown as Repositories })).rejects.toEqual(
      refused(706),
    );
  });

  test("reserves name and groups of users for administrators", async () => {
    const [user] = await fixture.insert({ className: "User", attributes: { Name: "somebody" } });
    const { classes: all } = await fixture.r.model.load();
    const definition = all.find(({ name }) => name === "User") as ClassDefinition;
    await fixture.define(
      { ...definition, rights: [{ group: "A1", permissions: everything }] },
      { name: "Guest", base: "User", attributes: [], rights: [{ group: "A1", permissions: everything }] },
    );
    const member = await sessionContext(fixture, { groups: ["A1"] });
    for (const input of [{ Name: "other" }, { Groups: [] }, { Description: "new", Groups: null }]) {
      await expect(patch(user as string, input, member)).rejects.toEqual(refused(404));
      await expect(createObject(member, "Guest", input)).rejects.toEqual(refused(404));
    }
    await expect(patch(user as string, { Description: "new" }, member)).resolves.toMatchObject({
      object: { Description: "new" },
    });
    const administrator = await sessionContext(fixture, { administrator: true });
    await expect(patch(user as string, { Name: "Ame\u0301lie" }, administrator)).resolves.toMatchObject({
      object: { Name: "Am\u00e9lie" },
    });
    for (const Name of ["", " \t", "x".repeat(1_025)])
      await expect(patch(user as string, { Name }, administrator)).rejects.toEqual(refused(307));
  });

  test("renames the account with the user, both or neither", async () => {
    const [first, second] = await fixture.insert(
      { className: "User", attributes: { Name: "first" } },
      { className: "User", attributes: { Name: "second" } },
    );
    const { accounts } = fixture.r;
    await accounts.create(
      { userId: first as string, loginName: "first", secret: "secret", administrator: false },
      "first",
    );
    await accounts.create(
      { userId: second as string, loginName: "second", secret: "secret", administrator: false },
      "second",
    );
    const administrator = await sessionContext(fixture, { administrator: true });
    await patch(first as string, { Name: "Third", Description: "new" }, administrator);
    expect((await accounts.find({ realm: "database", loginName: "Third" }, [])).account?.userId).toBe(first);
    expect((await accounts.find({ realm: "database", loginName: "first" }, [])).account).toBeNull();
    for (const Name of ["second", "SECOND ", "se cond"]) {
      await expect(patch(first as string, { Name, Description: "newer" }, administrator)).rejects.toEqual(refused(307));
    }
    const [object] = await fixture.r.objects.get([first as string], seesAll);
    expect(object).toMatchObject({ version: 2, attributes: { Name: "Third", Description: "new" } });
    expect((await accounts.find({ realm: "database", loginName: "Third" }, [])).account?.userId).toBe(first);
  });
});

describe("joined unit", () => {
  const rollbackSignal = new Error("rolled back");
  const list = {
    className: "File",
    query: undefined,
    page: 0,
    perPage: 1,
    cursor: undefined,
    serialization: undefined,
  };

  let fixture: Fixture;
  let context: ObjectContext;

  beforeEach(async () => {
    fixture = await openFixture();
    context = await sessionContext(fixture, { administrator: true });
  });

  /** Runs work with the context of an open transaction, which is then rolled back or committed. */
  function joined<T>(
    work: (inside: ObjectContext) => Promise<T>,
    end: "committed" | "rolled back" = "committed",
  ): Promise<T | undefined> {
    const running = fixture.database.storage.transaction(async (r, attempt) => {
      const result = await work({ ...context, r, unit: new JoinedUnit(r, attempt) });
      if (end === "rolled back") throw rollbackSignal;
      return result;
    });
    return running.catch((error: unknown) => {
      if (error !== rollbackSignal) throw error;
      return undefined;
    });
  }

  async function user(name: string): Promise<ObjectId> {
    const [id] = (await fixture.insert({ className: "User", attributes: { Name: name } })) as [ObjectId];
    await fixture.r.accounts.create({ userId: id, loginName: name, secret: "", administrator: false }, name);
    return id;
  }

  const nameOf = async ({ r }: SessionContext, id: ObjectId) =>
    (await r.objects.get([id], seesAll))[0]?.attributes["Name"];

  test("a failed use case leaves no changes, and the next one continues", async () => {
    const [anna] = [await user("anna"), await user("berta")];
    const rename = (inside: ObjectContext, name: string) =>
      updateObject(
        inside,
        { kind: "id", id: anna },
        { attributes: { Name: name }, expectedVersions: null, serialization: undefined },
      );
    await joined(async (inside) => {
      await expect(rename(inside, "berta")).rejects.toMatchObject({ code: 307 });
      expect(await nameOf(inside, anna)).toBe("anna");
      await rename(inside, "carla");
    });
    expect(await nameOf(context, anna)).toBe("carla");
    expect(await fixture.r.accounts.find({ realm: "database", loginName: "carla" }, [])).toMatchObject({
      account: { userId: anna },
    });
  });

  test("objects that a rollback removes are not cached", async () => {
    let id = "";
    await joined(async (inside) => {
      const { object } = await createObject(inside, "UserGroup", { Name: "new" });
      id = String(object["~ObjectID"]);
      await getObject(inside, { kind: "id", id });
    }, "rolled back");
    expect(id).not.toBe("");
    expect(fixture.database.classes.of(id)).toBeUndefined();
  });

  test("a count of objects that a rollback removes is not cached", async () => {
    await joined(async (inside) => {
      await inside.r.objects.insert(Array.from({ length: 5_001 }, () => ({ className: "File", attributes: {} })));
      expect((await listObjects(inside, list)).list["~Count"]).toBe(5_001);
    }, "rolled back");
    expect((await listObjects(context, list)).list["~Count"]).toBe(0);
  });

  test("a transaction loads the model by itself, and not for other requests", async () => {
    const { database } = fixture;
    const [id] = (await fixture.insert({ className: "File", attributes: {} })) as [ObjectId];
    // Another request waits for a connection to load it.
    void database.models.current(context.modelGeneration, { load: () => new Promise(() => {}) });
    await joined((inside) => getObject(inside, { kind: "id", id }));
    expect(database.models.loaded(context.modelGeneration)).toBeUndefined();
  });

  test("classes are not shown within a transaction", async () => {
    await joined((inside) => expect(readStructure(inside)).rejects.toMatchObject({ code: 307 }));
  });
});
