import { ServiceError } from "@sallyport/storage";
import {
  type InputAttributes,
  type Hook,
  type MemberChanges,
  type SavedItem,
  createObject,
  updateObject,
  deleteObject,
  listObjects,
  updateObjects,
  restoreObject,
  getObject,
  type ObjectContext,
} from "../../src/index.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";

describe("save hooks", () => {
  type BeforeSave = Hook<readonly SavedItem[], readonly (MemberChanges | null)[]>;

  const set = (members: MemberChanges["set"], removed: readonly string[] = []): MemberChanges => ({
    set: members,
    removed,
  });
  const before = (
    classes: readonly string[],
    each: (item: SavedItem, caller: ObjectContext) => MemberChanges | null | Promise<MemberChanges | null>,
    name = "hook",
  ): BeforeSave => ({
    name,
    classes,
    run: (caller, items) => Promise.all(items.map((item) => each(item, caller as ObjectContext))),
  });

  let f: HookFixture;
  beforeEach(async () => (f = await openHookFixture()));

  const create = async (input: InputAttributes, className = "Person") =>
    (await createObject(f.context, className, input)).object["~ObjectID"];
  const patch = (id: string, input: InputAttributes, expectedVersions: readonly number[] | null = null) =>
    updateObject(f.context, { kind: "id", id }, { attributes: input, expectedVersions, serialization: undefined });

  test("receive the new object, the old one and the given attributes", async () => {
    const seen: SavedItem[] = [];
    f.hooks.use({ beforeSave: [before(["Person"], (item) => (seen.push(item), null))] });
    const boss = await create({ Name: "Ada" });
    const id = await create({ Name: "Bob", Boss: boss });
    await patch(id, { Note: "new", Boss: null });
    const uuid = (await f.stored(id))?.uuid;
    const asReference = { "~ClassName": "Person", "~ObjectID": boss, "~StoreTime": expect.any(String) };
    expect(seen.slice(1)).toEqual([
      {
        object: { "~ClassName": "Person", Name: "Bob", Boss: asReference },
        previous: null,
        given: { Name: "Bob", Boss: boss },
      },
      {
        object: expect.objectContaining({ "~ObjectID": id, "~UUID": uuid, Name: "Bob", Note: "new", Boss: null }),
        previous: expect.objectContaining({ "~ObjectID": id, "~UUID": uuid, Name: "Bob", Boss: asReference }),
        given: { Note: "new", Boss: null },
      },
    ]);
    expect(seen[2]?.previous).not.toHaveProperty("Note");
  });

  test("change what is written, including mandatory attributes and links", async () => {
    const boss = await create({ Name: "Ada" });
    f.hooks.use({ beforeSave: [before(["Person"], () => set({ Name: "Carl", Boss: boss, Team: [boss] }, ["Note"]))] });
    const { object } = await createObject(f.context, "Person", { Note: "x" });
    expect(object).toMatchObject({ Name: "Carl", Boss: { "~ObjectID": boss, Name: "Ada" }, Team: { "~Count": 1 } });
    expect(await f.stored(object["~ObjectID"])).toMatchObject({
      version: 1,
      attributes: { Name: "Carl", Boss: boss, Team: [boss] },
    });
    expect((await f.stored(object["~ObjectID"]))?.attributes).not.toHaveProperty("Note");
    // References to it are known, too.
    await deleteObject(f.context, { kind: "id", id: boss }, { recycled: false, expectedVersions: null });
    expect((await f.stored(object["~ObjectID"]))?.attributes).toMatchObject({ Boss: null });
  });

  test("cannot set what the server controls, nor what the caller may not write", async () => {
    f.hooks.use({
      beforeSave: [
        before(["Person"], () =>
          set({ "~ObjectID": "1", "~UUID": "x", "~Surprise": 1, ["__proto__"]: 5, Note: "set" }),
        ),
      ],
    });
    const id = await create({ Name: "Ada" });
    expect(await f.stored(id)).toMatchObject({ id, version: 1, attributes: { Name: "Ada", Note: "set" } });

    const [secret] = await f.fixture.insert({ className: "Secret", attributes: {} });
    for (const wrong of [
      { Nothing: 1 },
      { Age: "old" },
      { Name: null },
      { Secret: secret as string },
      { Boss: "ZZZZZ" },
    ]) {
      f.hooks.use({ beforeSave: [before(["Person"], () => set(wrong))] });
      await expect(patch(id, { Note: "other" })).rejects.toMatchObject({ code: 710 });
    }
    expect(await f.stored(id)).toMatchObject({ version: 1 });
  });

  test("run for subclasses, in their order, and see the changes of earlier hooks", async () => {
    const order: unknown[] = [];
    const hook = (name: string, classes: readonly string[]) =>
      before(classes, ({ object }) => (order.push([name, object["Note"]]), set({ Note: name })), name);
    f.hooks.use({ beforeSave: [hook("a", ["Person"]), hook("b", ["Manager"]), hook("c", ["Task"])] });
    expect((await createObject(f.context, "Manager", { Name: "Ada", Note: "given" })).object).toMatchObject({
      Note: "b",
    });
    expect(order).toEqual([
      ["a", "given"],
      ["b", "a"],
    ]);
  });

  test("refuse with their own code, and nothing is written, not even by them", async () => {
    const id = await create({ Name: "Ada" });
    f.hooks.use({
      beforeSave: [
        before(["Person"], async (_item, caller) => {
          await createObject(caller, "Task", { Title: "trace" });
          throw new ServiceError(718, { detail: "not today" });
        }),
      ],
    });
    await expect(patch(id, { Note: "x" })).rejects.toMatchObject({ code: 718 });
    await expect(create({ Name: "Bob" })).rejects.toMatchObject({ code: 718 });
    expect(await f.stored(id)).toMatchObject({ version: 1 });
    expect(
      (
        await listObjects(f.context, {
          className: "Task",
          query: undefined,
          page: 0,
          perPage: 10,
          cursor: undefined,
          serialization: undefined,
        })
      ).list["~Count"],
    ).toBe(0);
  });

  test("receive what was written afterwards, in the same transaction", async () => {
    const seen: unknown[] = [];
    f.hooks.use({
      afterSave: [
        {
          name: "after",
          classes: ["Person"],
          run: async (caller, items) => {
            for (const { object, previous } of items) {
              seen.push([object["Name"], previous?.["Name"] ?? null]);
              await createObject(caller as ObjectContext, "Task", {
                Title: "made",
                Owner: object["~ObjectID"] as string,
              });
            }
            if (seen.length === 2) throw new ServiceError(710);
          },
        },
      ],
    });
    const id = await create({ Name: "Ada" });
    await expect(patch(id, { Name: "Bob" })).rejects.toMatchObject({ code: 710 });
    expect(seen).toEqual([
      ["Ada", null],
      ["Bob", "Ada"],
    ]);
    expect(await f.stored(id)).toMatchObject({ version: 1, attributes: { Name: "Ada" } });
    const tasks = await listObjects(f.context, {
      className: "Task",
      query: undefined,
      page: 0,
      perPage: 10,
      cursor: undefined,
      serialization: undefined,
    });
    expect(tasks.list).toMatchObject({ "~Count": 1, "~Elements": [{ Owner: { "~ObjectID": id } }] });
  });

  test("run in batches for a change of many objects, each object with its own values", async () => {
    const ids = await Promise.all(
      Array.from({ length: 450 }, (_, index) => create({ Name: `${index}`, Age: index % 2 })),
    );
    const sizes: number[] = [];
    const hook = before(["Person"], ({ previous }) => set({ Name: `${previous?.["Name"] as string}!` }));
    f.hooks.use({
      beforeSave: [{ ...hook, run: (caller, items) => (sizes.push(items.length), hook.run(caller, items)) }],
    });
    const changed = await updateObjects(f.context, {
      className: "Person",
      query: { where: { Age: 1 } },
      attributes: { Note: "all" },
      expectedVersions: null,
    });
    expect([changed.count, sizes]).toEqual([225, [200, 25]]);
    expect((await f.stored(ids[3] as string))?.attributes).toEqual({ Name: "3!", Age: 1, Note: "all" });
    expect(await f.stored(ids[4] as string)).toMatchObject({ version: 1 });
    await expect(
      updateObjects(f.context, { className: "Person", query: {}, attributes: {}, expectedVersions: [1] }),
    ).rejects.toMatchObject({ code: 713 });
  });

  test("run for the version that the caller expects, or not at all", async () => {
    const id = await create({ Name: "Ada" });
    let asked = 0;
    f.hooks.use({ beforeSave: [before(["Person"], () => ((asked += 1), null))] });
    await expect(patch(id, {}, [7])).rejects.toMatchObject({ code: 713 });
    expect(asked).toBe(0);
    await patch(id, {}, [1]);
    expect([asked, (await f.stored(id))?.version]).toEqual([1, 2]);
  });

  test("may write the same class, but not endlessly", async () => {
    let calls = 0;
    f.hooks.use({
      afterSave: [
        {
          name: "endless",
          classes: ["Person"],
          run: async (caller) =>
            void ((calls += 1), await createObject(caller as ObjectContext, "Person", { Name: "again" })),
        },
      ],
    });
    await expect(create({ Name: "Ada" })).rejects.toMatchObject({ code: 710 });
    expect(calls).toBe(8);
  });

  test("see objects restored from the recycle bin, and may change them", async () => {
    const id = await create({ Name: "Ada", Note: "old" });
    await deleteObject(f.context, { kind: "id", id }, { recycled: true, expectedVersions: null });
    const seen: SavedItem[] = [];
    f.hooks.use({ beforeSave: [before(["Person"], (item) => (seen.push(item), set({ Note: "back" })))] });
    const { object } = await restoreObject(f.context, { kind: "id", id });
    expect(seen).toEqual([
      { object: expect.objectContaining({ "~ObjectID": id, Name: "Ada", Note: "old" }), previous: null, given: {} },
    ]);
    expect(object).toMatchObject({ Name: "Ada", Note: "back" });
    f.hooks.use({
      beforeSave: [
        before(["Person"], () => {
          throw new ServiceError(718);
        }),
      ],
    });
    await deleteObject(f.context, { kind: "id", id }, { recycled: true, expectedVersions: null });
    await expect(restoreObject(f.context, { kind: "id", id })).rejects.toMatchObject({ code: 718 });
    await expect(getObject(f.context, { kind: "id", id })).rejects.toMatchObject({ code: 609 });
  });

  test("are not prepared for other classes", async () => {
    f.hooks.use({ beforeSave: [before(["Task"], () => null)] });
    await create({ Name: "Ada" });
    expect(f.hooks.prepared).toBe(0);
    await create({}, "Task");
    expect(f.hooks.prepared).toBe(1);
  });
});
