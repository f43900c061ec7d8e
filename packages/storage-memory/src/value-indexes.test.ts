import {
  type AttributeIndex,
  type Filter,
  KernelStorage,
  type ObjectQuery,
  type Position,
  seesAll,
  type SortKey,
  type Storage,
  type StoredObject,
  type ValuePath,
} from "@sallyport/storage";
import fc from "fast-check";
import { MemoryKernel } from "./memory-kernel.ts";

const indexes: readonly AttributeIndex[] = [
  { className: "File", attribute: "Name", type: "string" },
  { className: "File", attribute: "Size", type: "number" },
  { className: "File", attribute: "Open", type: "boolean" },
  { className: "Image", attribute: "Name", type: "string" },
];

const path = (leaf: string, type: ValuePath["type"]): ValuePath => ({ hops: [], leaf, type, indexed: true });
const [name, size, open] = [path("Name", "string"), path("Size", "number"), path("Open", "boolean")];

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "é", "\u0001", "\u{1f600}", "\u{10ffff}", "%"), maxLength: 3 }),
  // Their beginnings are equal.
  fc.constantFrom(...["a", "b", "\u{1f600}"].map((last) => "x".repeat(600) + last)),
);
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
const attributes = fc.record(
  { Name: fc.option(text), Size: fc.option(number), Open: fc.option(fc.boolean()) },
  { requiredKeys: [] },
);
const object = fc.record({ className: fc.constantFrom("File", "Image"), attributes });
const write = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), object }),
  fc.record({ kind: fc.constant("update" as const), which: fc.nat(), attributes }),
  fc.record({ kind: fc.constant("delete" as const), which: fc.nat() }),
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const pattern = text.map((literal) => `${literal.replaceAll("%", "\\%")}%`);
const operator = fc.constantFrom("gt", "gte", "lt", "lte" as const);
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant("oneOf" as const), path: fc.constant(name), values: fc.array(text, { maxLength: 3 }) }),
  fc.record({
    kind: fc.constant("oneOf" as const),
    path: fc.constant(size),
    values: fc.array(number, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("compare" as const), path: fc.constant(name), operator, value: text }),
  fc.record({ kind: fc.constant("compare" as const), path: fc.constant(size), operator, value: number }),
  fc.record({ kind: fc.constant("like" as const), path: fc.constant(name), pattern }),
  fc.record({ kind: fc.constant("empty" as const), path: fc.constantFrom(name, size, open) }),
);
const filter = fc.oneof(
  leaf,
  fc.record({ kind: fc.constant("all" as const), filters: fc.array(leaf, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant("any" as const), filters: fc.array(leaf, { maxLength: 2 }) }),
);
const sort: fc.Arbitrary<SortKey[]> = fc.array(
  fc.record({ path: fc.constantFrom(name, size, open), descending: fc.boolean() }),
  { maxLength: 2 },
);
const query: fc.Arbitrary<ObjectQuery> = fc.record({
  classes: fc.constantFrom(["File"], ["Image"], ["File", "Image"]),
  filter,
  sort,
});

async function perform({ repositories: r }: Storage, ids: string[], each: Write): Promise<void> {
  if (each.kind === "insert") {
    const stored = await r.objects.insert([each.object]);
    ids.push(...stored.map(({ id }) => id));
    return;
  }
  const id = ids[each.which % ids.length];
  if (id === undefined) return;
  if (each.kind === "delete") {
    ids.splice(ids.indexOf(id), 1);
    await r.deletion.delete([id], { recycled: true, root: id });
  } else {
    const change = { id, attributes: each.attributes, links: {}, expectedVersions: null };
    await r.objects.update([change], { session: null });
  }
}

/** All pages of a query, by positions. */
async function pagesOf({ repositories: r }: Storage, asked: ObjectQuery, limit: number): Promise<string[]> {
  const found: StoredObject[] = [];
  let after: Position | null = null;
  do {
    const page = await r.objects.find(asked, seesAll, after === null ? { offset: 0, limit } : { after, limit });
    found.push(...page.objects);
    after = page.last;
  } while (after !== null);
  return found.map(({ id }) => id);
}

test("queries by indexes find what queries without them find, in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 30 }),
      fc.array(write, { maxLength: 10 }),
      fc.array(query, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 7 }),
      async (earlier, later, queries, limit) => {
        const indexed = new KernelStorage(new MemoryKernel({ valueIndexes: true }));
        const plain = new KernelStorage(new MemoryKernel());
        for (const storage of [indexed, plain]) {
          await storage.migrate();
          const ids: string[] = [];
          for (const each of earlier) await perform(storage, ids, each);
          await storage.alignIndexes(indexes);
          for (const each of later) await perform(storage, ids, each);
        }
        for (const asked of queries) {
          expect(await pagesOf(indexed, asked, limit)).toEqual(await pagesOf(plain, asked, 1_000));
          const count = await plain.repositories.objects.count(asked, seesAll);
          expect(await indexed.repositories.objects.count(asked, seesAll)).toBe(count);
          const part = await indexed.repositories.objects.find(asked, seesAll, { offset: 2, limit });
          const all = await plain.repositories.objects.find(asked, seesAll, { offset: 2, limit });
          expect(part.objects.map(({ id }) => id)).toEqual(all.objects.map(({ id }) => id));
        }
      },
    ),
    { numRuns: 150 },
  );
});
