import {
  type ClassDefinition,
  type ObjectId,
  passwordEntrance,
  seesAll,
  type SessionContext,
  UpdateObjects,
  type UpdateObjectsInput,
} from "../src/index.ts";
import { digests, type Fixture, openFixture } from "./fixture.ts";
import { sessionContext } from "./session-context.ts";

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

describe("updating objects that match", () => {
  let fixture: Fixture;
  let context: SessionContext;

  beforeEach(async () => {
    fixture = await openFixture();
    await fixture.define(...classes);
    context = await sessionContext(fixture, { groups: ["A1"] });
  });

  const run = (input: Partial<UpdateObjectsInput> = {}, as = context) =>
    new UpdateObjects().run(as, {
      className: "Thing",
      query: {},
      given: { Text: "new" },
      expectedVersions: null,
      ...input,
    });
  const insert = (className: string, ...sizes: number[]) =>
    fixture.insert(...sizes.map((Size) => ({ className, attributes: { Name: "a", Size } })));
  const versions = async (ids: readonly ObjectId[]) =>
    (await fixture.r.objects.get(ids, seesAll)).map(({ version }) => version);
  const refused = (code: number, detail?: unknown) =>
    expect.objectContaining(detail === undefined ? { code } : { code, detail });

  test("changes what matches, whatever it is sorted by, and nothing else", async () => {
    const ids = await insert("Thing", 1, 2, 3, 4);
    const [hidden] = await fixture.insert({ className: "Thing", attributes: { Name: "a", Size: 9 }, readers: ["XYZ"] });
    await expect(
      run({ query: { where: { Size: { $gt: 2 } }, sort: ["-Size"] }, given: { Text: "new", Size: null } }),
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
    await expect(run({ query: { where: { Size: { $lt: 3 } } }, expectedVersions: [2] })).rejects.toEqual(refused(713));
    await fixture.r.sessions.open(
      {
        digest: digests.sha256("other"),
        mode: "session",
        appKeyId: "1",
        userId: "1",
        secretVersion: 1,
        appNames: [],
        deviceId: null,
        entrance: passwordEntrance,
      },
      fixture.database.policy.sessions,
    );
    await fixture.r.locks.take(ids[1] as string, digests.sha256("other"));
    await expect(run({ query: { where: { Size: { $lt: 3 } } } })).rejects.toEqual(refused(713));
    expect(await versions([...ids, ...tools])).toEqual([1, 1, 1]);
    await expect(run({ query: { where: { Size: 1 } }, expectedVersions: [5, 1] })).resolves.toEqual({ count: 1 });
  });

  test("asks who the caller is, then for the query, then for the body", async () => {
    await insert("Thing", 1);
    const reader = await sessionContext(fixture, { groups: ["B2"] });
    for (const [input, as, expected] of [
      [{}, reader, refused(304)],
      [{ className: "Secret" }, context, refused(304)],
      [{ className: "constructor" }, context, refused(304)],
      [{ className: "Tool", query: { nonsense: 1 }, given: { nonsense: 1 } }, context, refused(404)],
      [
        { query: { nonsense: 1 }, given: { nonsense: 1 } },
        context,
        refused(307, expect.stringMatching(/^at \/query\/nonsense/)),
      ],
      [{ given: { nonsense: 1 } }, context, refused(307, "at /nonsense: There is no such attribute.")],
      [{ given: { Sharp: true } }, context, refused(307, "at /Sharp: There is no such attribute.")],
      [{ given: { Name: null } }, context, refused(307)],
    ] as const) {
      await expect(run(input, as)).rejects.toEqual(expected);
    }
  });

  test("changes ten thousand at once and refuses one more", async () => {
    const ids = await insert("Thing", ...Array.from({ length: 10_000 }, (_, index) => index));
    await expect(run()).resolves.toEqual({ count: 10_000 });
    expect(new Set(await versions(ids))).toEqual(new Set([2]));
    await insert("Thing", 10_000);
    await expect(run()).rejects.toEqual(refused(307, "at /query: More than 10000 objects match."));
  }, 30_000);

  test("refuses a large change of many objects", async () => {
    const ids = await insert("Thing", ...Array.from({ length: 70 }, (_, index) => index));
    const given = { Text: "x".repeat(1_000_000) };
    await expect(run({ given })).rejects.toEqual(
      refused(307, "at /query: 70 objects match, too many for so large a change."),
    );
    expect(new Set(await versions(ids))).toEqual(new Set([1]));
    await expect(run({ given, query: { oids: ids.slice(0, 30) } })).resolves.toEqual({ count: 30 });
  });

  test("refuses a change of many large objects", async () => {
    const large = { className: "Thing", attributes: { Name: "a", Text: "x".repeat(1_000_000) } };
    const ids = await fixture.insert(...Array.from({ length: 70 }, () => large));
    await expect(run({ given: { Size: 1 } })).rejects.toEqual(
      refused(307, "at /query: 70 objects match, too many for so large a change."),
    );
    await expect(run({ given: { Size: 1 }, query: { oids: ids.slice(0, 60) } })).resolves.toEqual({ count: 60 });
  });

  test("refuses many links of many objects", async () => {
    const ids = await insert("Thing", ...Array.from({ length: 400 }, (_, index) => index));
    await expect(run({ given: { Parts: ids } })).rejects.toEqual(
      refused(307, "at /query: 400 objects match, too many for so large a change."),
    );
    await expect(run({ given: { Parts: ids.slice(0, 250) } })).resolves.toEqual({ count: 400 });
  });

  test("names users one by one, and leaves their groups to administrators", async () => {
    await fixture.insert(
      { className: "User", attributes: { Name: "one" } },
      { className: "User", attributes: { Name: "two" } },
    );
    const administrator = await sessionContext(fixture, { administrator: true });
    await expect(run({ className: "User", given: { Name: "same" } }, administrator)).rejects.toEqual(
      refused(307, "at /Name: Users are named one by one."),
    );
    await expect(run({ className: "User", given: { Groups: [], Description: "new" } }, administrator)).resolves.toEqual(
      { count: 2 },
    );
  });
});
