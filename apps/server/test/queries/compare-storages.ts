import { type AttributeIndex, type AttributeType, isIndexable, type ObjectPage, objectNumber, type Position, type Storage, type StoredObject } from "@sallyport/core";
import fc from "fast-check";
import { itemAttributes, objectSets, setSize, thingAttributes } from "./random-objects.ts";
import { type RandomQuery, randomQueries } from "./random-queries.ts";

/** Queries that are asked of one set of objects. */
const queriesPerSet = 25;

const hour = 3_600_000;

/**
 * Asks the same random queries of storages that hold the same random objects: the same objects come back, in the same
 * order, page by page and behind every position, and as many as are counted. The first storage is the reference. Those
 * among them that are `indexed` have an index of everything that can have one.
 */
export async function compareStorages(storages: readonly Storage[], indexed: readonly Storage[], queries: number, seed: number): Promise<void> {
  for (let set = 0; set * queriesPerSet < queries; set += 1) {
    const [item, thing] = [`Item${set}`, `Thing${set}`];
    const objects = await fill(storages, item, thing, seed + set);
    for (const storage of indexed) await storage.alignIndexes([...indexesOf(item, itemAttributes), ...indexesOf(thing, thingAttributes)]);
    const ids = [...objects.map(({ id }) => id), "ZZZZZZZZZZ"];
    const uuids = [...objects.map(({ uuid }) => uuid), "00000000-0000-4000-8000-000000000000"];
    const random = randomQueries({ item, thing, ids, uuids, times: [Date.now() - hour, Date.now() + hour] });
    await fc.assert(
      fc.asyncProperty(random, async (query) => {
        const [expected, ...others] = await Promise.all(storages.map((storage) => answers(storage, query)));
        for (const other of others) expect(other).toEqual(expected);
        expect(expected?.pages).toEqual(expected?.ids);
        expect(expected?.afterPositions).toEqual(expected?.ids);
        expect(expected?.counts).toEqual([expected?.ids.length, Math.min(expected?.ids.length ?? 0, query.limit)]);
      }),
      { numRuns: Math.min(queriesPerSet, queries - set * queriesPerSet), seed: seed + set, endOnFailure: false },
    );
  }
}

/** Creates the same objects, with the same ids and UUIDs, in all storages. */
async function fill(storages: readonly Storage[], item: string, thing: string, seed: number): Promise<readonly StoredObject[]> {
  const probes = await Promise.all(storages.map(({ repositories: r }) => r.objects.insert([{ className: "Probe", attributes: {} }])));
  const first = objectNumber(probes[0]?.[0]?.id ?? "") + 1;
  const [objects = []] = fc.sample(objectSets(item, thing, first), { numRuns: 1, seed });
  const named = objects.map((object, index) => ({ ...object, uuid: uuidOf(seed * setSize + index) }));
  const created = await Promise.all(storages.map(({ repositories: r }) => r.objects.insert(named)));
  for (const each of created) expect(each.map(({ id, uuid }) => [id, uuid])).toEqual(created[0]?.map(({ id, uuid }) => [id, uuid]));
  return created[0] ?? [];
}

function indexesOf(className: string, attributes: Readonly<Record<string, AttributeType>>): AttributeIndex[] {
  return Object.entries(attributes).flatMap(([attribute, type]) => (isIndexable(type) ? [{ className, attribute, type }] : []));
}

function uuidOf(number: number): string {
  return `${((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

async function answers({ repositories: { objects } }: Storage, { query, visibility, limit }: RandomQuery) {
  const ids = (page: ObjectPage) => page.objects.map(({ id }) => id);
  const all = ids(await objects.find(query, visibility, { offset: 0, limit: 1_000 }));
  const pages: string[] = [];
  for (let offset = 0; offset < all.length; offset += limit) pages.push(...ids(await objects.find(query, visibility, { offset, limit })));
  const afterPositions: string[] = [];
  let page = await objects.find(query, visibility, { offset: 0, limit });
  while (page.last !== null) {
    afterPositions.push(...ids(page));
    const after: Position = page.last;
    page = await objects.find(query, visibility, { after, limit });
  }
  const counts = [await objects.count(query, visibility), await objects.count(query, visibility, limit)];
  return { ids: all, pages, afterPositions, counts };
}
