import {
  type ClassDefinition,
  CreateObject,
  DeleteObject,
  type Hook,
  type MemberChanges,
  type ObjectId,
  reserveUserNames,
  RestoreObject,
  type SavedItem,
  seesAll,
  type SessionContext,
  UpdateObject,
  UpdateObjects,
} from "../src/index.ts";
import { digests, type Fixture, openFixture } from "./fixture.ts";
import { PlainHooks } from "./hooks/plain-hooks.ts";
import { sessionContext } from "./session-context.ts";

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
  let context: SessionContext;
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
    const { object } = await new CreateObject(hooks).run(context, className, { Name });
    return (object as { "~ObjectID": ObjectId })["~ObjectID"];
  };
  const rename = (id: ObjectId, Name: string) =>
    outcome(
      new UpdateObject(hooks).run(
        context,
        { kind: "id", id },
        { given: { Name }, expectedVersions: null, serialization: undefined },
      ),
    );
  const remove = (id: ObjectId, recycled: boolean) =>
    new DeleteObject(hooks).run(context, { kind: "id", id }, { recycled, expectedVersions: null });
  const restore = (id: ObjectId) => outcome(new RestoreObject(hooks).run(context, { kind: "id", id }));

  test("refuses a look-alike at creation, of whatever class of users", async () => {
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

  test("refuses a rename to a look-alike, and allows one of the own name", async () => {
    const [ada] = [await create("Ada"), await create("Bob")];
    expect([
      await rename(ada, "bob"),
      await rename(ada, "ADA"),
      await rename(ada, "ADA"),
      await rename(ada, "Eve"),
    ]).toEqual([307, 0, 0, 0]);
    // The refused one has freed nothing, and the last one has freed the former name.
    expect([await outcome(create("eve")), await outcome(create("ada"))]).toEqual([307, 0]);
  });

  test.each([true, false])("frees the name of a user that is deleted, recycled: %s", async (recycled) => {
    const ada = await create("Ada");
    await remove(ada, recycled);
    expect(await outcome(create("ada"))).toBe(0);
  });

  test("refuses to restore a user whose name is taken meanwhile", async () => {
    const ada = await create("Ada");
    await remove(ada, true);
    const other = await create("ada");
    expect([await restore(ada), (await fixture.r.departures.find({ kind: "id", id: ada }, seesAll))?.kind]).toEqual([
      307,
      "recycled",
    ]);
    expect(await rename(other, "Bob")).toBe(0);
    expect([await restore(ada), await outcome(create("ada"))]).toEqual([0, 307]);
  });

  test("lets one of those at once have the name", async () => {
    const names = ["Eve", "eve", "EVE", " Eve", "e\u200Bve"];
    const created = await Promise.all(names.map((name) => outcome(create(name))));
    expect(created.toSorted()).toEqual([0, 307, 307, 307, 307]);
  });

  test("refuses to name users many at once", async () => {
    await create("Ada");
    const input = { className: "User", query: {}, given: { Name: "Bob" }, expectedVersions: null };
    expect(await outcome(new UpdateObjects(hooks).run(context, input))).toBe(307);
  });

  test("reserves the names of users that another version has created, the lowest id first, as often as it is asked", async () => {
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
    // A reservation that is no longer of the present name is renewed.
    await fixture.r.objects.update([{ id: first, attributes: { Name: "Dora" }, links: {}, expectedVersions: null }], {
      session: digests.sha256("x"),
      modelGeneration: context.modelGeneration,
    });
    await reserveUserNames(fixture.database);
    expect([await outcome(create("DORA")), await outcome(create("Ada"))]).toEqual([307, 0]);
  });
});

test("a hook that sets the name of a user is refused a look-alike", async () => {
  const fixture = await openFixture();
  const hooks = new PlainHooks();
  const context = await sessionContext(fixture, { administrator: true });
  const create = (Name: string) => new CreateObject(hooks).run(context, "User", { Name });
  await create("Ada");
  hooks.use({ beforeSave: [naming("ADA")] });
  await expect(create("Bob")).rejects.toMatchObject({ code: 307 });
});
