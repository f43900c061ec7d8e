import {
  type AttributeIndex,
  type Attributes,
  type Filter,
  type JsonValue,
  objectIdOf,
  type Repositories,
  seesAll,
  type SortKey,
  type ValuePath,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { idsOf, noSession } from "../fixtures/objects.ts";
import { streamed } from "../fixtures/archived.ts";
import { sampleArchive } from "../fixtures/sample-archive.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";

const indexed: readonly AttributeIndex[] = [
  { className: "File", attribute: "Name", type: "string" },
  { className: "File", attribute: "Size", type: "number" },
  { className: "File", attribute: "Open", type: "boolean" },
  { className: "File", attribute: "Made", type: "date" },
  { className: "File", attribute: "Maker", type: "reference" },
  { className: "File", attribute: "Content", type: "file" },
  { className: "Image", attribute: "Name", type: "string" },
];

const [fileName, fileSize] = indexed as [AttributeIndex, AttributeIndex];

const oneProcess = checksOf("indexes", {
  "makes indexes ready by aligning them": async ({ storage }) => {
    equal(await storage.readyIndexes(indexed), [], "the ready indexes before");
    const report = await storage.alignIndexes(indexed);
    isTrue(report !== "busy", "No other process must be aligning");
    equalInAnyOrder(report.built, indexed, "the built indexes");
    equal(report.removed, 0, "number of dropped indexes");
    equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "the ready indexes");
    equal(await storage.readyIndexes([fileSize]), [fileSize], "the readiness of one index");
    equal(await storage.readyIndexes([]), [], "the readiness of no index");
  },

  "finds imported objects by an index that was built before": async ({ storage, r }) => {
    await storage.alignIndexes([fileName]);
    equal(await storage.archive.import(streamed(sampleArchive)), "imported", "the outcome of the import");
    const path: ValuePath = { hops: [], leaf: "Name", type: "string", indexed: true };
    const filter: Filter = { kind: "oneOf", path, values: ["last"] };
    const { objects } = await r.objects.find({ classes: ["File"], filter }, seesAll, { offset: 0, limit: 10 });
    equal(idsOf(objects), [objectIdOf(1_000_000)], "the found objects");
  },

  "distinguishes indexes by class, attribute and type": async ({ storage }) => {
    await storage.alignIndexes([fileName]);
    const others = [
      { ...fileName, className: "file" },
      { ...fileName, className: "Image" },
      { ...fileName, attribute: "name" },
      { ...fileName, type: "date" } as const,
    ];
    equal(await storage.readyIndexes(others), [], "the readiness of other indexes");
  },

  "drops undeclared indexes": async ({ storage }) => {
    await storage.alignIndexes(indexed);
    const date = { ...fileName, type: "date" } as const;
    equal(await storage.alignIndexes([fileSize, date]), { built: [date], removed: 6 }, "the built and dropped indexes");
    equal(await storage.readyIndexes(indexed), [fileSize], "the ready indexes");
    equal(await storage.alignIndexes([]), { built: [], removed: 2 }, "the indexes built and dropped last");
    equal(await storage.readyIndexes([...indexed, date]), [], "the ready indexes after the last call");
  },

  "keeps declared indexes": async ({ storage }) => {
    await storage.alignIndexes(indexed);
    for (let round = 0; round < 3; round += 1) {
      equal(await storage.alignIndexes(indexed), { built: [], removed: 0 }, "the built and dropped indexes");
      equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "the ready indexes");
    }
  },

  "indexes every value, earlier and later": async ({ storage, r }) => {
    const texts = ["", "ab", "x".repeat(10_000), "\u{1f469}".repeat(10_000), ...hostileTexts];
    const numbers = [0, -0.5, 1e300, -1e300, 5e-324, Number.MAX_SAFE_INTEGER];
    const values: { readonly [attribute: string]: JsonValue }[] = [
      {},
      { Name: null, Size: null, Open: null, Made: null, Maker: null, Content: null },
      ...texts.map((Name) => ({ Name })),
      ...numbers.map((Size) => ({ Size })),
      { Open: true, Made: "2024-02-29" },
      { Open: false, Made: "2024-02-29T12:00:00.000Z", Maker: "A1", Content: "ZZZZZZZZZZ" },
    ];
    const objects = ["File", "Image"].flatMap((className) => values.map((attributes) => ({ className, attributes })));
    const before = await r.objects.insert(objects);
    await storage.alignIndexes(indexed);
    const after = await r.objects.insert(objects);
    equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "the ready indexes");
    const all = [...before, ...after];
    equalInAnyOrder(await r.objects.get(idsOf(all), seesAll), all, "the objects");
  },

  "answers queries with indexes as without them": async ({ storage, r }) => {
    const numbered = ["File", "Image"].flatMap((className) => mixed.map((attributes) => ({ className, attributes })));
    const ids = idsOf(await r.objects.insert(numbered));
    const before = await answersOf(r);
    await storage.alignIndexes(indexed);
    equal(await answersOf(r), before, "the answers after the indexes are built");
    // The indexes follow changes, deletions and new objects.
    const { objects, deletion } = r;
    for (const [place, attributes] of mixed.toReversed().entries())
      if (place % 3 === 0)
        await objects.update([{ id: ids[place] ?? "", attributes, links: {}, expectedVersions: null }], noSession);
    for (const id of [ids[4], ids[5]]) if (id !== undefined) await deletion.delete([id], { recycled: true, root: id });
    await objects.insert(mixed.slice(3, 6).map((attributes) => ({ className: "File", attributes })));
    const answers = await answersOf(r);
    await storage.alignIndexes([]);
    equal(answers, await answersOf(r), "the answers with indexes after writes, and those without");
  },
});

/** Attributes whose values are equal, missing, null, or equal at their beginnings only. */
const mixed: readonly Attributes[] = [
  { Name: "b", Size: 2, Open: true },
  { Name: "a", Size: -1, Open: false },
  { Name: "a", Size: 2 },
  { Name: null, Size: null, Open: null },
  {},
  { Name: "ab", Size: 10, Open: true },
  { Name: "a%", Size: -1.5, Open: false },
  { Name: `${"x".repeat(600)}b`, Size: 0 },
  { Name: `${"x".repeat(600)}a`, Size: -0 },
  { Name: "\u{1f469}", Size: 1e300, Open: true },
  { Name: "\uffff", Size: 3, Open: true },
  { Name: "", Size: 3, Open: false },
];

const [name, size, open] = (
  [
    ["Name", "string"],
    ["Size", "number"],
    ["Open", "boolean"],
  ] as const
).map(([leaf, type]): ValuePath => ({ hops: [], leaf, type, indexed: true })) as [ValuePath, ValuePath, ValuePath];

const long = "x".repeat(600);
const filters: readonly (Filter | undefined)[] = [
  undefined,
  { kind: "oneOf", path: name, values: ["a", "\u{1f469}", `${long}a`, "unknown"] },
  { kind: "oneOf", path: size, values: [2, 0] },
  { kind: "oneOf", path: open, values: [true] },
  ...(["gt", "gte", "lt", "lte"] as const).flatMap((operator): Filter[] => [
    { kind: "compare", path: size, operator, value: 2 },
    { kind: "compare", path: name, operator, value: "a" },
    { kind: "compare", path: name, operator, value: `${long}a` },
  ]),
  ...["a%", "x%", "a\\%%", "\u{1f469}%", "\uffff%", "%b", "_b"].map(
    (pattern): Filter => ({ kind: "like", path: name, pattern }),
  ),
  { kind: "empty", path: size },
  {
    kind: "all",
    filters: [
      { kind: "oneOf", path: open, values: [true] },
      { kind: "compare", path: size, operator: "gt", value: 1 },
    ],
  },
  {
    kind: "any",
    filters: [
      { kind: "oneOf", path: name, values: ["b"] },
      { kind: "empty", path: open },
    ],
  },
  { kind: "not", filter: { kind: "oneOf", path: name, values: ["a"] } },
];

const sorts: readonly (readonly SortKey[])[] = [
  [],
  ...[name, size, open].flatMap((path) => [false, true].map((descending) => [{ path, descending }])),
  [
    { path: open, descending: true },
    { path: size, descending: false },
  ],
];

/** The ids that all pages of all queries have, and their numbers. */
async function answersOf({ objects }: Repositories): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const filter of filters)
    for (const sort of sorts) {
      const query = { classes: ["File", "Image"], sort, ...(filter === undefined ? {} : { filter }) };
      const pages: string[][] = [];
      let page = await objects.find(query, seesAll, { offset: 0, limit: 4 });
      while (page.last !== null) {
        pages.push(idsOf(page.objects));
        page = await objects.find(query, seesAll, { after: page.last, limit: 4 });
      }
      const part = await objects.find({ ...query, classes: ["File"] }, seesAll, { offset: 2, limit: 3 });
      answers.push([
        pages,
        idsOf(part.objects),
        await objects.count(query, seesAll),
        await objects.count(query, seesAll, 3),
      ]);
    }
  return answers;
}

const severalProcesses = checksOf(
  "indexes",
  {
    "aligns indexes in one process at a time, completely": async ({ storage, another }) => {
      const other = await another();
      const outcomes = await Promise.all([storage, other, storage, other].map((each) => each.alignIndexes(indexed)));
      const built = outcomes.flatMap((outcome) => (outcome === "busy" ? [] : outcome.built));
      equalInAnyOrder(built, indexed, "the indexes built by all processes");
      while ((await other.alignIndexes(indexed)) === "busy");
      for (const each of [storage, other])
        equalInAnyOrder(await each.readyIndexes(indexed), indexed, "the ready indexes");
    },
  },
  { needs: "severalProcesses" },
);

const limited = checksOf(
  "indexes",
  {
    "builds the first declared indexes up to the limit of the adapter": async ({ storage }) => {
      const limit = storage.capabilities.indexesPerTable ?? 0;
      isTrue(limit >= 16, "The limit must allow 16 indexes");
      const declared = Array.from({ length: limit + 2 }, (_, number) => ({ ...fileName, attribute: `Name${number}` }));
      const first = declared.slice(0, limit);
      const report = await storage.alignIndexes(declared);
      isTrue(report !== "busy", "No other process must be aligning");
      equalInAnyOrder(report.built, first, "the built indexes");
      equalInAnyOrder(await storage.readyIndexes(declared), first, "the ready indexes");
      equal(await storage.alignIndexes(declared), { built: [], removed: 0 }, "the indexes built by the second call");
      const last = declared.slice(2);
      equal(
        await storage.alignIndexes(last),
        { built: last.slice(-2), removed: 2 },
        "the indexes dropped to stay within the limit",
      );
      equalInAnyOrder(await storage.readyIndexes(declared), last, "the ready indexes after the last call");
    },
  },
  { needs: "indexesPerTable" },
);

export const indexChecks: readonly Check[] = [...oneProcess, ...severalProcesses, ...limited];
