import {
  type ClassDefinition,
  type NewObject,
  OutdatedModelError,
  RefusedByStorageError,
  type Repositories,
  seesAll,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import {
  type CreateObjectsInput,
  createObjects,
  inTransaction,
  type InputAttributes,
  type ObjectContext,
} from "../../src/index.ts";
import { type Fixture, openFixture, using } from "../fixture.ts";
import { PlainHooks } from "../hooks/plain-hooks.ts";
import { sessionContext } from "../session-context.ts";

describe("creating several objects", () => {
  const everything = ["read", "create", "write", "delete"] as const;
  const rights = [{ group: "A1", permissions: everything }];
  const person: ClassDefinition = {
    name: "Person",
    base: null,
    attributes: [
      { name: "Name", type: "string", mandatory: true },
      { name: "Boss", type: "reference", target: "Person" },
    ],
    rights,
  };
  type Insert = (objects: readonly NewObject[]) => Promise<StoredObject[]>;

  let fixture: Fixture;
  let context: ObjectContext;
  /** The number of objects of each insertion. */
  let insertions: number[];

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(
      person,
      { ...person, name: "Secret", rights: [] },
      { ...person, name: "Shown", rights: [{ group: "A1", permissions: ["read"] }] },
    );
    context = await sessionContext(fixture, { groups: ["A1"] });
    insertions = [];
  });

  /** The context, over a storage whose insertions are changed. */
  const inserting = (
    change: (objects: readonly NewObject[], insert: Insert) => Promise<StoredObject[]>,
    over = context,
  ): ObjectContext => {
    const { r } = over;
    const objects = new Proxy(r.objects, {
      get: (target, name) =>
        name === "insert"
          ? (items: readonly NewObject[], by: never) => {
              insertions.push(items.length);
              return change(items, (all) => target.insert(all, by));
            }
          : Reflect.get(target, name),
    });
    return { ...over, r: { ...r, objects } as Repositories };
  };
  const create = (
    items: CreateObjectsInput["items"],
    {
      as = context,
      className = "Person",
      isLate = () => false,
    }: { as?: ObjectContext; className?: string; isLate?: () => boolean } = {},
  ) => createObjects(as, { className, items, serialization: undefined, isLate });
  const named = (...names: readonly string[]): InputAttributes[] => names.map((Name) => ({ Name }));
  /** The names of the new objects, and the codes of the others. */
  const shown = (outcomes: Awaited<ReturnType<typeof create>>) =>
    outcomes.map((each) => (each instanceof ServiceError ? each.code : each["Name"]));
  const stored = async (className = "Person") => {
    const page = { offset: 0, limit: 100 };
    const { objects } = await fixture.r.objects.find({ classes: [className] }, seesAll, page);
    return objects.map(({ attributes }) => attributes["Name"]);
  };
  const refusing = (error: (names: readonly unknown[]) => Error | null, over = context) =>
    inserting(async (objects, insert) => {
      const failure = error(objects.map(({ attributes }) => attributes["Name"]));
      if (failure !== null) throw failure;
      return insert(objects);
    }, over);

  test("stores them by one call, in order, with their references", async () => {
    const [boss] = (await fixture.insert({ className: "Person", attributes: { Name: "boss" } })) as [string];
    const as = inserting((objects, insert) => insert(objects));
    const outcomes = await create([...named("a", "b"), { Name: "c", Boss: boss }], { as });
    expect(insertions).toEqual([3]);
    expect(outcomes).toMatchObject([
      { Name: "a" },
      { Name: "b" },
      { Name: "c", Boss: { "~ObjectID": boss, Name: "boss" } },
    ]);
    expect(await create([], { as })).toEqual([]);
    expect(insertions).toEqual([3]);
  });

  test("refuses an invalid one alone", async () => {
    const fault = new ServiceError(307, { detail: "at /" });
    const items = [
      { Name: 5 },
      { Name: "a" },
      fault,
      {},
      { Name: "b", Boss: "ZZZZ" },
      { "~UUID": "x", Name: "c" },
      { Name: "d" },
    ];
    const outcomes = await create(items);
    expect(shown(outcomes)).toEqual([307, "a", 307, 307, 307, 307, "d"]);
    expect(outcomes[4]).toMatchObject({ detail: "at /Boss: There is no object with this id or UUID." });
    expect(await stored()).toEqual(["a", "d"]);
  });

  test.each([
    ["an object that is too large", new ServiceError(801), 801],
    ["a target that has just gone", new ServiceError(307), 307],
    ["a refusal of the storage", new RefusedByStorageError("refused"), 713],
  ])("stores the others without %s", async (_title, error, code) => {
    const as = refusing((names) => (names.includes("bad") ? error : null));
    expect(shown(await create(named("a", "b", "c", "bad", "d"), { as }))).toEqual(["a", "b", "c", code, "d"]);
    expect(insertions).toEqual([5, 3, 2, 1, 1]);
    expect(await stored()).toEqual(["a", "b", "c", "d"]);
  });

  test("fails as a whole if the database does, and tells what was created before", async () => {
    const down = new ServiceError(704);
    await expect(create(named("a", "b"), { as: refusing(() => down) })).rejects.toBe(down);
    expect(insertions.splice(0)).toEqual([2]);
    const later = refusing((names) => (names.length > 1 ? new ServiceError(801) : names[0] === "b" ? down : null));
    expect(shown(await create(named("a", "b", "c"), { as: later }))).toEqual(["a", 704, 704]);
    expect(await stored()).toEqual(["a"]);
  });

  test("prepares them again under a new model, and none twice", async () => {
    let attempts = 0;
    const first = refusing(() => ((attempts += 1) === 1 ? new OutdatedModelError() : null));
    expect(shown(await create(named("a", "b"), { as: first }))).toEqual(["a", "b"]);
    const later = refusing((names) =>
      names.length > 1 ? new ServiceError(801) : names[0] === "d" ? new OutdatedModelError() : null,
    );
    expect(shown(await create(named("c", "d"), { as: later }))).toEqual(["c", 706]);
    expect(await stored()).toEqual(["a", "b", "c"]);
  });

  test("creates none when it is late", async () => {
    await expect(create(named("a"), { isLate: () => true })).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    expect(await stored()).toEqual([]);
  });

  test.each([
    ["Secret", 304],
    ["Nothing", 304],
    ["constructor", 304],
    ["Shown", 404],
    ["File", 304],
  ])("checks the right to create in %s before the attributes", async (className, code) => {
    await expect(create([{ Nonsense: 1 }], { className })).rejects.toMatchObject({ code });
    await expect(create([], { className })).rejects.toMatchObject({ code });
  });

  test("counts each, and refuses those beyond a rate alone", async () => {
    const none = { perMinute: 0, burst: 0 };
    fixture = await openFixture({ rates: { address: none, appKey: none, session: { perMinute: 1, burst: 3 } } });
    await fixture.define(person);
    const as = await sessionContext(fixture, { groups: ["A1"] });
    // The request itself has counted as the first one.
    expect(shown(await create(named("a", "b", "c", "d", "e", "f"), { as }))).toEqual(["a", "b", "c", "d", 800, 800]);
    await expect(inTransaction(as, (inside) => create(named("g", "h"), { as: inside }))).rejects.toMatchObject({
      code: 800,
    });
    expect(await stored()).toEqual(["a", "b", "c", "d"]);
  });

  test("undoes all in an open transaction if a repetition could create them", async () => {
    const refusal = new RefusedByStorageError("diskFull");
    const failing = (error: ServiceError) =>
      inTransaction(context, (inside) =>
        create(named("a", "bad"), { as: refusing((names) => (names.includes("bad") ? error : null), inside) }),
      );
    await expect(failing(refusal)).rejects.toMatchObject({ code: 713 });
    expect(shown(await failing(new ServiceError(801)))).toEqual(["a", 801]);
  });

  test("runs hooks of each in a transaction of its own", async () => {
    const hooks = new PlainHooks();
    const seen: unknown[] = [];
    hooks.use({
      beforeSave: [
        {
          name: "hook",
          classes: ["Person"],
          run: async (_caller, items) => {
            seen.push(items.map(({ given }) => given["Name"]));
            if (items.some(({ given }) => given["Name"] === "bad")) throw new ServiceError(710);
            return items.map(() => ({ set: { Name: "hooked" }, removed: [] }));
          },
        },
      ],
    });
    const as = using(context, { objectHooks: hooks }) as ObjectContext;
    expect(shown(await create([...named("a", "bad"), { Name: 5 }, ...named("b")], { as }))).toEqual([
      "hooked",
      710,
      307,
      "hooked",
    ]);
    expect(seen).toEqual([["a"], ["bad"], ["b"]]);
    expect(await stored()).toEqual(["hooked", "hooked"]);
  });

  test("reserves the name of each user", async () => {
    const as = await sessionContext(fixture, { administrator: true });
    const items = named("ann", "bob", "an n", "cid");
    expect(shown(await create(items, { as, className: "User" }))).toEqual(["ann", "bob", 307, "cid"]);
  });
});
