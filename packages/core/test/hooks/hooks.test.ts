import { type JsonValue, ServiceError } from "@sallyport/storage";
import {
  type FindRequest,
  type FindHookResult,
  type DeletedItem,
  type FindHook,
  type Hook,
  type ProviderUser,
  deleteObject,
  createObject,
  listObjects,
  updateObjects,
  updateObject,
  acceptProviderUser,
  type ObjectContext,
} from "../../src/index.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";
import { using } from "../fixture.ts";

type DeleteHook = Hook<readonly DeletedItem[], void>;

describe("delete hooks", () => {
  let f: HookFixture;
  beforeEach(async () => (f = await openHookFixture()));

  const remove = (id: string, recycled = false) =>
    deleteObject(f.context, { kind: "id", id }, { recycled, expectedVersions: null });
  const insert = async (className: string, attributes: Record<string, string>) =>
    (
      await f.fixture.insert({
        className,
        attributes,
        links: attributes["Owner"] === undefined ? {} : { Owner: [attributes["Owner"]] },
      })
    )[0] as string;
  const recordingHook = (into: unknown[], name: string, classes: readonly string[]): DeleteHook => ({
    name,
    classes,
    run: async (_caller, items) => void into.push([name, items.map(({ object }) => object)]),
  });

  test("receive the object and its dependents, before and after; meta-fields only of what the caller cannot see", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const task = await insert("Task", { Title: "t", Owner: ada });
    const secret = await insert("Secret", { Word: "hidden", Owner: ada });
    const seen: [string, Record<string, unknown>[]][] = [];
    f.hooks.use({
      beforeDelete: [recordingHook(seen, "before", ["Person", "Task", "Secret"])],
      afterDelete: [recordingHook(seen, "after", ["Task"])],
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

  test("prevent the deletion, and undo all other changes", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const task = await insert("Task", { Title: "t", Owner: ada });
    for (const kind of ["beforeDelete", "afterDelete"] as const) {
      f.hooks.use({
        [kind]: [
          {
            name: "no",
            classes: ["Task"],
            run: async (caller: ObjectContext) => {
              await createObject(caller, "Person", { Name: "trace" });
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

  test("receive what they themselves added, and nothing twice", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    const seen: unknown[] = [];
    f.hooks.use({
      beforeDelete: [
        recordingHook(seen, "all", ["Task"]),
        {
          name: "adding",
          classes: ["Person"],
          run: async (caller) =>
            void (await createObject(caller as ObjectContext, "Task", { Title: "late", Owner: ada })),
        },
      ],
    });
    await remove(ada);
    expect(seen).toMatchObject([["all", [{ Title: "late" }]]]);
    expect(await f.stored(ada)).toBeUndefined();
  });

  test("may delete the object themselves, but may not add to the deletion endlessly", async () => {
    const ada = await insert("Person", { Name: "Ada" });
    f.hooks.use({
      beforeDelete: [
        {
          name: "self",
          classes: ["Person"],
          run: (caller) =>
            caller.hookDepth === 1
              ? deleteObject(
                  caller as ObjectContext,
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
            void (await createObject(caller as ObjectContext, "Task", { Title: "next", Owner: bob })),
        },
      ],
    });
    await expect(remove(bob)).rejects.toMatchObject({ code: 710 });
    expect(await f.stored(bob)).toMatchObject({ version: 1 });
  });
});

const accepted: FindHookResult = { accepted: true, where: [], oids: [] };
const find = (
  name: string,
  classes: readonly string[],
  choose: (set: FindRequest) => Partial<FindHookResult>,
  byDefault = false,
): FindHook => ({
  name,
  classes,
  byDefault,
  run: async (_caller, set) => ({ ...accepted, ...choose(set) }),
});

describe("query hooks", () => {
  let f: HookFixture;
  let ids: string[];
  beforeEach(async () => {
    f = await openHookFixture();
    ids = await f.fixture.insert(
      ...[10, 20, 30, 40].map((Age) => ({
        className: Age === 40 ? "Manager" : "Person",
        attributes: { Name: `${Age}`, Age },
      })),
    );
  });

  const list = async (query?: object, more: object = {}, context: ObjectContext = f.context) => {
    const { list: found, next } = await listObjects(context, {
      className: "Person",
      query: query as never,
      page: 0,
      perPage: 10,
      cursor: undefined,
      serialization: undefined,
      ...more,
    });
    return {
      names: found["~Elements"].map((each) => each["Name"]),
      count: found["~Count"],
      all: found["~UnfilteredCount"],
      next,
    };
  };

  test("filter and sort a query that names them, in addition to its own conditions", async () => {
    const requests: FindRequest[] = [];
    f.hooks.use({
      findObjects: [
        find(
          "Old",
          ["Person"],
          (set) => (requests.push(set), { where: [{ Age: { $gte: 20 } }, { Age: { $lt: 40 } }], sort: ["-Age"] }),
        ),
      ],
    });
    expect(await list({ macro: "Old" })).toMatchObject({ names: ["30", "20"], count: 2, all: 4 });
    expect(await list({ macro: "Old", where: { Age: { $ne: 30 } }, sort: ["Age"], oids: ids })).toMatchObject({
      names: ["20"],
    });
    expect(requests).toEqual([
      { className: "Person" },
      { className: "Person", where: { Age: { $ne: 30 } }, sort: ["Age"], oids: ids },
    ]);
    expect(await list()).toMatchObject({ count: 4 });
    f.hooks.use({ findObjects: [find("Two", ["Person"], () => ({ oids: [ids.slice(0, 3), ids.slice(1)] }))] });
    expect(await list({ macro: "Two" })).toMatchObject({ names: ["20", "30"] });
    f.hooks.use({ findObjects: [find("None", ["Person"], () => ({ oids: [[]] }))] });
    expect(await list({ macro: "None" })).toMatchObject({ names: [], all: 4 });
  });

  test("run for every list of their classes by default, and once where a query names them, too", async () => {
    let calls = 0;
    f.hooks.use({
      findObjects: [find("Young", ["Person"], () => ((calls += 1), { where: [{ Age: { $lt: 30 } }] }), true)],
    });
    expect(await list()).toMatchObject({ names: ["10", "20"], all: 4 });
    expect(await list({ macro: "Young" })).toMatchObject({ count: 2 });
    expect(calls).toBe(2);
    expect(
      (
        await updateObjects(f.context, {
          className: "Person",
          query: {},
          attributes: { Note: "young" },
          expectedVersions: null,
        })
      ).count,
    ).toBe(2);
    // Reads by hooks are complete.
    expect(await list({}, {}, { ...f.context, hookDepth: 1 } as ObjectContext)).toMatchObject({ count: 4 });
  });

  test("refuse the query, also under unknown names, names of other classes or values that are not text", async () => {
    f.hooks.use({
      findObjects: [
        find("No", ["Person"], () => ({ accepted: false })),
        find("Tasks", ["Task"], () => ({})),
        find("Managers", ["Manager"], () => ({})),
      ],
    });
    for (const macro of ["No", "Tasks", "Managers", "Nothing", "", 5, null, ["No"], "__proto__"])
      await expect(list({ macro })).rejects.toMatchObject({ code: 307 });
    await expect(
      updateObjects(f.context, {
        className: "Person",
        query: { macro: "No" },
        attributes: {},
        expectedVersions: null,
      }),
    ).rejects.toMatchObject({ code: 307 });
    f.hooks.use({ findObjects: [find("No", ["Person"], () => ({ accepted: false }), true)] });
    await expect(list()).rejects.toMatchObject({ code: 307 });
    f.hooks.use({});
    await expect(list({ macro: "No" })).rejects.toMatchObject({ code: 307 });
  });

  test("fail when they return an invalid query", async () => {
    const wrong: Partial<FindHookResult>[] = [
      { where: [{ Nothing: 1 }] },
      { where: [5] },
      { sort: ["Nothing"] },
      { sort: "Age" },
      { oids: ["x"] },
      { oids: [["?"]] },
    ];
    for (const each of wrong) {
      f.hooks.use({ findObjects: [find("Wrong", ["Person"], () => each)] });
      await expect(list({ macro: "Wrong" })).rejects.toMatchObject({ code: 710 });
    }
  });

  test("reach nothing that the caller cannot see", async () => {
    await f.fixture.insert({ className: "Person", attributes: { Name: "hidden" }, readers: [] });
    f.hooks.use({
      findObjects: [
        find("Hidden", ["Person"], () => ({ where: [{ Name: "hidden" }] })),
        find("Through", ["Person"], () => ({ where: [{ "Secret.Word": { $ne: "x" } }] })),
      ],
    });
    expect(await list({ macro: "Hidden" })).toMatchObject({ count: 0, all: 4 });
    expect(await list({ macro: "Through" })).toMatchObject({ count: 4 });
  });

  test("issue cursors that are valid while the hook returns the same query", async () => {
    let least = 10;
    f.hooks.use({
      findObjects: [find("From", ["Person"], () => ({ where: [{ Age: { $gte: least } }], sort: ["Age"] }))],
    });
    const { next } = await list({ macro: "From" }, { perPage: 2 });
    expect(await list({ macro: "From" }, { perPage: 2, cursor: next })).toMatchObject({ names: ["30", "40"] });
    least = 20;
    await expect(list({ macro: "From" }, { perPage: 2, cursor: next })).rejects.toMatchObject({ code: 307 });
  });
});

describe("hook for new users of a provider", () => {
  let f: HookFixture;
  let userId: string;
  let users: ProviderUser[];
  beforeEach(async () => {
    f = await openHookFixture();
    [userId] = (await f.fixture.insert({ className: "Person", attributes: { Name: "Ada" } })) as [string];
    users = [];
  });

  const accept = () =>
    acceptProviderUser(using(f.context, { objectHooks: f.hooks }), {
      userId,
      providerConfig: { name: "oidc" },
      userUuid: "u-1",
      name: "Ada",
      surname: "L",
      email: "ada@example.org",
    });
  const answer = (value: JsonValue | undefined, work: (caller: ObjectContext) => Promise<unknown> = async () => {}) =>
    f.hooks.use({
      createUserProvider: [
        {
          name: "hook",
          classes: [],
          run: async (caller, user) => (users.push(user), await work(caller as ObjectContext), value),
        },
      ],
    });

  test("decides whether the user is accepted", async () => {
    expect(await accept()).toBe("accepted");
    answer(0);
    expect(await accept()).toBe("accepted");
    answer(7);
    expect(await accept()).toBe("assigned");
    expect(users[0]).toEqual({
      userObject: expect.objectContaining({ "~ObjectID": userId, Name: "Ada" }),
      providerConfig: { name: "oidc" },
      userUuid: "u-1",
      name: "Ada",
      surname: "L",
      email: "ada@example.org",
    });
    for (const refusing of [-1, -0.5, 1.5, "0", null, undefined, true, [0], Number.MAX_VALUE]) {
      answer(refusing);
      await expect(accept()).rejects.toMatchObject({ code: 324 });
    }
  });

  test("runs in one transaction, in which no one else writes the user", async () => {
    const note = (Note: string) => (as: ObjectContext) =>
      updateObject(
        as,
        { kind: "id", id: userId },
        { attributes: { Note }, expectedVersions: null, serialization: undefined },
      );
    let begin: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const other = running.then(() => note("other")(f.context));
    answer(1, async (caller) => {
      begin();
      await note("hook")(caller);
    });
    expect(await accept()).toBe("assigned");
    await other;
    expect(await f.stored(userId)).toMatchObject({ version: 3, attributes: { Note: "other" } });
    answer(-1, note("refused"));
    await expect(accept()).rejects.toMatchObject({ code: 324 });
    expect(await f.stored(userId)).toMatchObject({ version: 3, attributes: { Note: "other" } });
  });
});
