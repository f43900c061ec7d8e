import {
  type ClassDefinition,
  type ObjectId,
  passwordAuthentication,
  type Principal,
  seesAll,
  type SingleReference,
} from "@sallyport/storage";
import {
  type Hook,
  type MemberChanges,
  reserveUserNames,
  type SavedItem,
  type UpdateObjectsInput,
  updateObjects,
  createObject,
  updateObject,
  deleteObject,
  restoreObject,
  setReaders,
  getReaders,
  type ObjectContext,
} from "../../src/index.ts";
import { digests, type Fixture, openFixture, using } from "../fixture.ts";
import { PlainHooks } from "../hooks/plain-hooks.ts";
import { sessionContext } from "../session-context.ts";

describe("update objects", () => {
  const attributes = [
    { name: "Name", type: "string", mandatory: true },
    { name: "Size", type: "number" },
    { name: "Text", type: "string" },
    { name: "Parts", type: "collection", target: "Thing" },
  ] as const;
  const all = ["read", "create", "write"] as const;
  const classes: ClassDefinition[] = [
    { name: "Thing", base: null, attributes, rights: [{ group: "A1", permissions: all }] },
    {
      name: "Tool",
      base: "Thing",
      attributes: [{ name: "Sharp", type: "boolean" }],
      rights: [{ group: "A1", permissions: ["read"] }],
    },
    { name: "Secret", base: "Thing", attributes: [], rights: [] },
  ];

  describe("updating matching objects", () => {
    let fixture: Fixture;
    let context: ObjectContext;

    beforeEach(async () => {
      fixture = await openFixture();
      await fixture.define(...classes);
      context = await sessionContext(fixture, { groups: ["A1"] });
    });

    const run = (input: Partial<UpdateObjectsInput> = {}, as = context) =>
      updateObjects(as, {
        className: "Thing",
        query: {},
        attributes: { Text: "new" },
        expectedVersions: null,
        ...input,
      });
    const insert = (className: string, ...sizes: number[]) =>
      fixture.insert(...sizes.map((Size) => ({ className, attributes: { Name: "a", Size } })));
    const versions = async (ids: readonly ObjectId[]) =>
      (await fixture.r.objects.get(ids, seesAll)).map(({ version }) => version);
    const refused = (code: number, detail?: unknown) =>
      expect.objectContaining(detail === undefined ? { code } : { code, detail });

    test("changes the matching objects in any order, and nothing else", async () => {
      const ids = await insert("Thing", 1, 2, 3, 4);
      const [hidden] = await fixture.insert({
        className: "Thing",
        attributes: { Name: "a", Size: 9 },
        readers: ["XYZ"],
      });
      await expect(
        run({ query: { where: { Size: { $gt: 2 } }, sort: ["-Size"] }, attributes: { Text: "new", Size: null } }),
      ).resolves.toEqual({ count: 2 });
      expect((await fixture.r.objects.get(ids, seesAll)).map((object) => object.attributes)).toEqual([
        { Name: "a", Size: 1 },
        { Name: "a", Size: 2 },
        { Name: "a", Size: null, Text: "new" },
        { Name: "a", Size: null, Text: "new" },
      ]);
      expect(await versions([hidden as string])).toEqual([1]);
      await expect(run({ query: { oids: [ids[0] as string, hidden as string] } })).resolves.toEqual({ count: 1 });
      await expect(run({ query: { where: { Size: 77 } } })).resolves.toEqual({ count: 0 });
    });

    test("changes none when one of them cannot be changed", async () => {
      const ids = await insert("Thing", 1, 2);
      const tools = await insert("Tool", 3);
      await expect(run()).rejects.toEqual(refused(404));
      await expect(run({ query: { where: { Size: { $lt: 3 } } }, expectedVersions: [2] })).rejects.toEqual(
        refused(713),
      );
      await fixture.r.sessions.open(
        {
          digest: digests.sha256("other"),
          mode: "session",
          appKeyId: "1",
          userId: "1",
          secretVersion: 1,
          appNames: [],
          deviceId: null,
          authenticationMethod: passwordAuthentication,
        },
        fixture.database.policy.sessions,
      );
      await fixture.r.locks.take(ids[1] as string, digests.sha256("other"));
      await expect(run({ query: { where: { Size: { $lt: 3 } } } })).rejects.toEqual(refused(713));
      expect(await versions([...ids, ...tools])).toEqual([1, 1, 1]);
      await expect(run({ query: { where: { Size: 1 } }, expectedVersions: [5, 1] })).resolves.toEqual({ count: 1 });
    });

    test("checks the caller first, then the query, then the body", async () => {
      await insert("Thing", 1);
      const reader = await sessionContext(fixture, { groups: ["B2"] });
      for (const [input, as, expected] of [
        [{}, reader, refused(304)],
        [{ className: "Secret" }, context, refused(304)],
        [{ className: "constructor" }, context, refused(304)],
        [{ className: "Tool", query: { nonsense: 1 }, attributes: { nonsense: 1 } }, context, refused(404)],
        [
          { query: { nonsense: 1 }, attributes: { nonsense: 1 } },
          context,
          refused(307, expect.stringMatching(/^at \/query\/nonsense/)),
        ],
        [{ attributes: { nonsense: 1 } }, context, refused(307, "at /nonsense: There is no attribute with this name.")],
        [{ attributes: { Sharp: true } }, context, refused(307, "at /Sharp: There is no attribute with this name.")],
        [{ attributes: { Name: null } }, context, refused(307)],
      ] as const) {
        await expect(run(input, as)).rejects.toEqual(expected);
      }
    });

    test("changes ten thousand at once and refuses one more", async () => {
      const ids = await insert("Thing", ...Array.from({ length: 10_000 }, (_, index) => index));
      await expect(run()).resolves.toEqual({ count: 10_000 });
      expect(new Set(await versions(ids))).toEqual(new Set([2]));
      await insert("Thing", 10_000);
      await expect(run()).rejects.toEqual(refused(307, "at /query: The query matches more than 10000 objects."));
    }, 30_000);

    test("refuses a large change of many objects", async () => {
      const ids = await insert("Thing", ...Array.from({ length: 70 }, (_, index) => index));
      const input = { Text: "x".repeat(1_000_000) };
      await expect(run({ attributes: input })).rejects.toEqual(
        refused(307, "at /query: The change is too large for 70 objects."),
      );
      expect(new Set(await versions(ids))).toEqual(new Set([1]));
      await expect(run({ attributes: input, query: { oids: ids.slice(0, 30) } })).resolves.toEqual({ count: 30 });
    });

    test("refuses a change of many large objects", async () => {
      const large = { className: "Thing", attributes: { Name: "a", Text: "x".repeat(1_000_000) } };
      const ids = await fixture.insert(...Array.from({ length: 70 }, () => large));
      await expect(run({ attributes: { Size: 1 } })).rejects.toEqual(
        refused(307, "at /query: The change is too large for 70 objects."),
      );
      await expect(run({ attributes: { Size: 1 }, query: { oids: ids.slice(0, 60) } })).resolves.toEqual({ count: 60 });
    });

    test("refuses many links of many objects", async () => {
      const ids = await insert("Thing", ...Array.from({ length: 400 }, (_, index) => index));
      await expect(run({ attributes: { Parts: ids } })).rejects.toEqual(
        refused(307, "at /query: The change is too large for 400 objects."),
      );
      await expect(run({ attributes: { Parts: ids.slice(0, 250) } })).resolves.toEqual({ count: 400 });
    });

    test("names users one by one, and reserves their groups for administrators", async () => {
      await fixture.insert(
        { className: "User", attributes: { Name: "one" } },
        { className: "User", attributes: { Name: "two" } },
      );
      const administrator = await sessionContext(fixture, { administrator: true });
      await expect(run({ className: "User", attributes: { Name: "same" } }, administrator)).rejects.toEqual(
        refused(307, "at /Name: The names of several users cannot be set at once."),
      );
      await expect(
        run({ className: "User", attributes: { Groups: [], Description: "new" } }, administrator),
      ).resolves.toEqual({ count: 2 });
    });
  });
});

const guest: ClassDefinition = { name: "Guest", base: "User", attributes: [], rights: [] };
const plain: ClassDefinition = {
  name: "Plain",
  base: null,
  attributes: [{ name: "Name", type: "string" }],
  rights: [],
};

/** A hook that gives users a name, or `null` for none. */
const naming = (Name: string | null): Hook<readonly SavedItem[], readonly (MemberChanges | null)[]> => ({
  name: "naming",
  classes: ["User", "Guest"],
  run: async (_caller, items) => items.map(() => (Name === null ? null : { set: { Name }, removed: [] })),
});

describe.each(["without hooks", "with hooks"])("names of users, %s", (kind) => {
  let fixture: Fixture;
  let context: ObjectContext;
  let hooks: PlainHooks;
  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(guest, plain);
    context = await sessionContext(fixture, { administrator: true });
    hooks = new PlainHooks();
    if (kind === "with hooks") hooks.use({ beforeSave: [naming(null)] });
  });

  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
  const create = async (Name: string, className = "User") => {
    const { object } = await createObject(using(context, { objectHooks: hooks }), className, { Name });
    return (object as { "~ObjectID": ObjectId })["~ObjectID"];
  };
  const rename = (id: ObjectId, Name: string) =>
    outcome(
      updateObject(
        using(context, { objectHooks: hooks }),
        { kind: "id", id },
        { attributes: { Name }, expectedVersions: null, serialization: undefined },
      ),
    );
  const remove = (id: ObjectId, recycled: boolean) =>
    deleteObject(using(context, { objectHooks: hooks }), { kind: "id", id }, { recycled, expectedVersions: null });
  const restore = (id: ObjectId) => outcome(restoreObject(using(context, { objectHooks: hooks }), { kind: "id", id }));

  test("refuses a look-alike at creation, for every class of users", async () => {
    await create("Ada");
    await create("Bob", "Guest");
    for (const [name, className] of [
      ["Ada", "User"],
      [" aDA", "Guest"],
      ["A\u200Bda", "User"],
      ["\uFF21da", "User"],
      ["BOB", "User"],
    ] as const) {
      expect([name, await outcome(create(name, className))]).toEqual([name, 307]);
    }
    expect(await fixture.r.objects.count({ classes: ["User", "Guest"] }, seesAll)).toBe(2);
    expect([await outcome(create("Ada", "Plain")), await outcome(create("ada", "Plain"))]).toEqual([0, 0]);
  });

  test("refuses a rename to a look-alike, and allows a variant of the user's own name", async () => {
    const [ada] = [await create("Ada"), await create("Bob")];
    expect([
      await rename(ada, "bob"),
      await rename(ada, "ADA"),
      await rename(ada, "ADA"),
      await rename(ada, "Eve"),
    ]).toEqual([307, 0, 0, 0]);
    // The refused rename freed nothing, and the last one freed the former name.
    expect([await outcome(create("eve")), await outcome(create("ada"))]).toEqual([307, 0]);
  });

  test.each([true, false])("frees the name of a deleted user, recycled: %s", async (recycled) => {
    const ada = await create("Ada");
    await remove(ada, recycled);
    expect(await outcome(create("ada"))).toBe(0);
  });

  test("refuses to restore a user whose name was taken since", async () => {
    const ada = await create("Ada");
    await remove(ada, true);
    const other = await create("ada");
    expect([await restore(ada), (await fixture.r.deletion.find({ kind: "id", id: ada }, seesAll))?.kind]).toEqual([
      307,
      "recycled",
    ]);
    expect(await rename(other, "Bob")).toBe(0);
    expect([await restore(ada), await outcome(create("ada"))]).toEqual([0, 307]);
  });

  test("gives the name to one of several concurrent requests", async () => {
    const names = ["Eve", "eve", "EVE", " Eve", "e\u200Bve"];
    const created = await Promise.all(names.map((name) => outcome(create(name))));
    expect(created.toSorted()).toEqual([0, 307, 307, 307, 307]);
  });

  test("refuses to name several users at once", async () => {
    await create("Ada");
    const input = { className: "User", query: {}, attributes: { Name: "Bob" }, expectedVersions: null };
    expect(await outcome(updateObjects(using(context, { objectHooks: hooks }), input))).toBe(307);
  });

  test("reserves the names of users that another version created, the lowest id first, and is idempotent", async () => {
    const inserted = await fixture.insert(
      ...["Ada", "ada", "Bob"].map((Name) => ({ className: "User", attributes: { Name } })),
      { className: "Guest", attributes: { Name: "Eve" } },
    );
    const [first, second] = inserted as [ObjectId, ObjectId];
    for (let round = 0; round < 2; round += 1) await reserveUserNames(fixture.database);
    for (const name of ["ADA", "BOB", "EVE"]) expect(await outcome(create(name))).toBe(307);
    expect([await rename(second, "adA"), await rename(first, "adA"), await rename(second, "Carl")]).toEqual([
      307, 0, 0,
    ]);
    // A reservation for an outdated name is renewed.
    await fixture.r.objects.update([{ id: first, attributes: { Name: "Dora" }, links: {}, expectedVersions: null }], {
      session: digests.sha256("x"),
      modelGeneration: context.modelGeneration,
    });
    await reserveUserNames(fixture.database);
    expect([await outcome(create("DORA")), await outcome(create("Ada"))]).toEqual([307, 0]);
  });
});

test("a look-alike name that a hook sets is refused", async () => {
  const fixture = await openFixture();
  const hooks = new PlainHooks();
  const context = await sessionContext(fixture, { administrator: true });
  const create = (Name: string) => createObject(using(context, { objectHooks: hooks }), "User", { Name });
  await create("Ada");
  hooks.use({ beforeSave: [naming("ADA")] });
  await expect(create("Bob")).rejects.toMatchObject({ code: 307 });
});

describe("object readers", () => {
  const rights = [{ group: "*", permissions: ["read", "write"] }] as const;

  describe("readers", () => {
    let fixture: Fixture;
    /** Ids: the written object, a user and a group that everyone may write, and hidden users and groups. */
    let ids: { note: string; user: string; group: string; chief: string; hiddenUser: string; hiddenGroup: string };
    beforeEach(async () => {
      fixture = await openFixture();
      const { classes } = await fixture.r.model.load();
      const opened = classes
        .filter(({ name }) => name === "User" || name === "UserGroup")
        .map((each) => ({ ...each, rights }));
      const chief: ClassDefinition = { name: "Chief", base: "User", attributes: [], rights };
      await fixture.define(...opened, chief, { name: "Note", base: null, attributes: [], rights });
      const one = async (className: string, readers: string[] | null = null) =>
        (await fixture.insert({ className, attributes: {}, readers }))[0] as string;
      ids = {
        note: await one("Note"),
        user: await one("User"),
        group: await one("UserGroup"),
        chief: await one("Chief"),
        hiddenUser: await one("User", []),
        hiddenGroup: await one("UserGroup", []),
      };
    });

    const to = (id: string): SingleReference => ({ kind: "id", id });
    const set = async (who: Partial<Principal>, id: string, readers: readonly string[] | null) =>
      setReaders(await sessionContext(fixture, who), to(id), { readers, expectedVersions: null }).then(
        (outcome) => outcome.readers,
        ({ code }: { code: number }) => code,
      );

    test("may name the caller and own groups though hidden, and visible others, for any class of users", async () => {
      const caller = { userId: ids.hiddenUser, groups: [ids.hiddenGroup, "GONE"] };
      expect(await set(caller, ids.note, [ids.hiddenUser])).toEqual([ids.hiddenUser]);
      expect(await set(caller, ids.note, [ids.chief, ids.hiddenGroup, ids.user, ids.group])).toEqual([
        ids.chief,
        ids.hiddenGroup,
        ids.user,
        ids.group,
      ]);
      // Membership in a deleted or unknown group gives no extra right to name it.
      expect(await set(caller, ids.note, ["GONE"])).toBe(307);
      const another = { userId: ids.user, groups: [] };
      expect(await set(another, ids.note, null)).toBeNull();
      const [chief] = await fixture.r.objects.get([ids.chief], seesAll);
      expect(await set(another, ids.note, [chief?.uuid ?? "", ids.user])).toEqual([ids.chief, ids.user]);
      expect([
        await set(another, ids.note, [ids.user, ids.hiddenUser]),
        await set(another, ids.note, [ids.user, ids.hiddenGroup]),
      ]).toEqual([307, 307]);
    });

    test("of users and groups are reserved for administrators, even if the caller may write these objects", async () => {
      const caller = { userId: ids.user, groups: [ids.group] };
      for (const id of [ids.user, ids.group, ids.chief]) {
        expect(await set(caller, id, [ids.user])).toBe(404);
        await expect(getReaders(await sessionContext(fixture, caller), to(id))).rejects.toMatchObject({
          code: 404,
        });
        expect(await set({ administrator: true }, id, [ids.user])).toEqual([ids.user]);
        expect(await getReaders(await sessionContext(fixture, { administrator: true }), to(id))).toEqual({
          readers: [ids.user],
          version: 2,
        });
      }
    });
  });
});
