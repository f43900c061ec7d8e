import { type DeletedItem, type Hook, ServiceError, type SessionContext } from "../../src/index.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";

type DeleteHook = Hook<readonly DeletedItem[], void>;

describe("hooks of deletions", () => {
  let f: HookFixture;
  beforeEach(async () => (f = await openHookFixture()));

  const remove = (id: string, recycled = false) =>
    f.delete.run(f.context, { kind: "id", id }, { recycled, expectedVersions: null });
  const insert = async (className: string, attributes: Record<string, string>) =>
    (
      await f.fixture.insert({
        className,
        attributes,
        links: attributes["Owner"] === undefined ? {} : { Owner: [attributes["Owner"]] },
      })
    )[0] as string;
  const noting = (into: unknown[], name: string, classes: readonly string[]): DeleteHook => ({
    name,
    classes,
    run: async (_caller, items) => void into.push([name, items.map(({ object }) => object)]),
  });

  test("are told of the object and of those that go with it, before and after; of what the caller does not see the meta-fields", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const task = await insert("Task", { Title: "t", Owner: ada });
    const secret = await insert("Secret", { Word: "hidden", Owner: ada });
    const seen: [string, Record<string, unknown>[]][] = [];
    f.hooks.use({
      beforeDelete: [noting(seen, "before", ["Person", "Task", "Secret"])],
      afterDelete: [noting(seen, "after", ["Task"])],
    });
    await remove(ada);
    expect(seen.map(([name, objects]) => [name, objects.map((object) => object["~ObjectID"])])).toEqual([
      ["before", [ada, task, secret]],
      ["after", [task]],
    ]);
    expect(seen[0]?.[1]).toMatchObject([
      { Name: "Ada" },
      { Title: "t", Owner: { "~ObjectID": ada } },
      { "~ClassName": "Secret" },
    ]);
    expect(Object.keys(seen[0]?.[1][2] ?? {})).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime"]);
    expect(await f.stored(task)).toBeUndefined();
  });

  test("keep it from happening, with all that they and others did", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const task = await insert("Task", { Title: "t", Owner: ada });
    for (const kind of ["beforeDelete", "afterDelete"] as const) {
      f.hooks.use({
        [kind]: [
          {
            name: "no",
            classes: ["Task"],
            run: async (caller: SessionContext) => {
              await f.create.run(caller, "Person", { Name: "trace" });
              throw new ServiceError(718);
            },
          },
        ],
      });
      await expect(remove(ada)).rejects.toMatchObject({ code: 718 });
    }
    expect([await f.stored(ada), await f.stored(task)]).toMatchObject([{ version: 1 }, { version: 1 }]);
    expect(await f.fixture.r.objects.count({ classes: ["Person"] }, { classes: null, principals: null })).toBe(1);
  });

  test("are told of what they themselves have added to it, and of nothing twice", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const seen: unknown[] = [];
    f.hooks.use({
      beforeDelete: [
        noting(seen, "all", ["Task"]),
        {
          name: "adding",
          classes: ["Person"],
          run: async (caller) =>
            void (await f.create.run(caller as SessionContext, "Task", { Title: "late", Owner: ada })),
        },
      ],
    });
    await remove(ada);
    expect(seen).toMatchObject([["all", [{ Title: "late" }]]]);
    expect(await f.stored(ada)).toBeUndefined();
  });

  test("may delete the object themselves, but not add to it without an end", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    f.hooks.use({
      beforeDelete: [
        {
          name: "self",
          classes: ["Person"],
          run: (caller) =>
            caller.hookDepth === 1
              ? f.delete.run(
                  caller as SessionContext,
                  { kind: "id", id: ada },
                  { recycled: false, expectedVersions: null },
                )
              : Promise.resolve(),
        },
      ],
    });
    await remove(ada);
    expect(await f.stored(ada)).toBeUndefined();

    const bob = await insert("Person", { Name: "Bob" });
    await insert("Task", { Title: "first", Owner: bob });
    f.hooks.use({
      beforeDelete: [
        {
          name: "more",
          classes: ["Task"],
          run: async (caller) =>
            void (await f.create.run(caller as SessionContext, "Task", { Title: "next", Owner: bob })),
        },
      ],
    });
    await expect(remove(bob)).rejects.toMatchObject({ code: 710 });
    expect(await f.stored(bob)).toMatchObject({ version: 1 });
  });
});
