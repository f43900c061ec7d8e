import {
  type AttributeIndex,
  beforeAllChanges,
  type Filter,
  type ObjectId,
  type ObjectQuery,
  type Page,
  type Position,
  type Repositories,
  seesAll,
  type SortKey,
  type Storage,
  type StoredObject,
  type ValuePath,
  type ValueType,
  type Visibility,
} from "@sallyport/storage";
import { equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksAfter } from "../check.ts";
import { createUser } from "../fixtures/accounts.ts";
import { changeOf, changesUpTo } from "../fixtures/changes-up-to.ts";
import { keepOpen, repeatWhilePending } from "../fixtures/concurrently.ts";
import { deleteObjects, idsOf, restoreObjects } from "../fixtures/objects.ts";
import { pseudoRandom } from "../fixtures/digests.ts";
import type { Subject } from "../subject.ts";

/** Values of several types, because an engine can confuse the index of one with a change of another. */
const indexed: readonly AttributeIndex[] = [
  { className: "File", attribute: "Name", type: "string" },
  { className: "File", attribute: "Size", type: "number" },
  { className: "File", attribute: "Made", type: "date" },
  { className: "File", attribute: "Maker", type: "reference" },
  { className: "File", attribute: "Open", type: "boolean" },
];

/** Objects that match. A writer changes other values of the first ones. */
const matching = 60;
const changing = 25;

const path = (leaf: string, type: ValueType, ...hops: string[]): ValuePath => ({
  hops: hops.map((reference) => ({ reference, classes: ["Image"] })),
  leaf,
  type,
});
const name = path("Name", "string");
const orders: readonly (readonly SortKey[])[] = [
  [{ path: path("~StoreTime", "time"), descending: false }],
  [{ path: path("Made", "date"), descending: false }],
  [{ path: path("Size", "number"), descending: true }],
  [{ path: name, descending: false }],
  [{ path: path("Name", "string", "Maker"), descending: true }],
  [],
];
const isNamed: Filter = { kind: "oneOf", path: name, values: ["same"] };
const filters: readonly Filter[] = [
  isNamed,
  { kind: "like", path: name, pattern: "sam%" },
  { kind: "all", filters: [isNamed, { kind: "oneOf", path: path("Open", "boolean"), values: [true] }] },
  { kind: "all", filters: [isNamed, { kind: "compare", path: path("Size", "number"), operator: "gte", value: 0 }] },
  { kind: "oneOf", path: path("Name", "string", "Maker"), values: ["maker"] },
];

/** Every filter with every order: their numbers have no common divisor. */
function queryOf(read: number): ObjectQuery {
  const filter = filters[read % filters.length] as Filter;
  return { classes: ["File"], filter, sort: orders[read % orders.length] ?? [] };
}

/** Sees all objects, some of them as a reader. */
const readers: ObjectId[] = ["10", "11"];
const reader: Visibility = { classes: null, principals: new Set(readers) };
const visibilities: readonly Visibility[] = [seesAll, reader];

interface Scene {
  /** The objects that each filter matches. */
  readonly all: readonly StoredObject[];
  readonly maker: ObjectId;
  /** Repeats a read while a writer changes values that no filter is about. */
  readonly beside: (read: (r: Repositories, number: number) => Promise<void>) => Promise<void>;
}

const attributesOf = (number: number, maker: ObjectId) => ({
  Name: "same",
  Open: true,
  Size: number,
  Made: `2026-01-${10 + (number % 20)}`,
  Maker: maker,
});

async function begin({ storage, r, reads }: Subject): Promise<Scene> {
  const [maker] = await r.objects.insert([{ className: "Image", attributes: { Name: "maker" } }]);
  const id = (maker as StoredObject).id;
  await storage.alignIndexes(indexed);
  const all = await r.objects.insert(
    Array.from({ length: 2 * matching }, (_, number) => ({
      className: "File",
      attributes: number < matching ? attributesOf(number, id) : { Name: `other ${number}`, Size: number },
      links: number < matching ? { Maker: [id] } : {},
      readers: number % 10 === 0 ? readers : null,
    })),
  );
  const random = pseudoRandom(7);
  const write = () =>
    storage.transaction(async (inside) => {
      for (let changes = 0; changes < 2; changes += 1) {
        const { id: changed } = all[random(changing - 1)] as StoredObject;
        const { Size, Made } = attributesOf(random(1_000), id);
        await inside.objects.update([changeOf(changed, { Size, Made })], { session: null });
      }
      await keepOpen(inside, 2);
    });
  return {
    all: all.slice(0, matching),
    maker: id,
    beside: (read) => besides(write, reads, (number) => read(r, number)),
  };
}

async function besides(
  write: () => Promise<unknown>,
  reads: number,
  read: (number: number) => Promise<void>,
): Promise<void> {
  const reading = async () => {
    for (let number = 0; number < reads; number += 1) await read(number);
  };
  await repeatWhilePending(reading(), write);
}

/** The ids of all pages by cursor. */
async function pagesOf(r: Repositories, query: ObjectQuery, visibility: Visibility): Promise<ObjectId[]> {
  const ids: ObjectId[] = [];
  for (let after: Position | null = null, limit = 20; ; ) {
    const page: Page = after === null ? { offset: 0, limit } : { after, limit };
    const { objects, last } = await r.objects.find(query, visibility, page);
    ids.push(...idsOf(objects));
    if (objects.length < limit || last === null) return ids;
    after = last;
  }
}

const ofObjects = checksAfter("reads beside writers", begin, {
  "lists all objects in every order": ({ all, beside }) =>
    beside(async (r, number) => {
      const visibility = visibilities[number % 2] as Visibility;
      const { objects } = await r.objects.find(queryOf(number), visibility, { offset: 0, limit: 1_000 });
      equalInAnyOrder(idsOf(objects), idsOf(all), `the objects of ${JSON.stringify(queryOf(number))}`);
    }),

  "gives all unchanged objects by pages": ({ all, beside }) =>
    beside(async (r, number) => {
      const unchanged = idsOf(all.slice(changing));
      const found = await pagesOf(r, queryOf(number), visibilities[number % 2] as Visibility);
      equalInAnyOrder(
        found.filter((id) => unchanged.includes(id)),
        unchanged,
        `the objects on the pages of ${JSON.stringify(queryOf(number))}`,
      );
    }),

  "counts all objects": ({ all, beside }) =>
    beside(async (r, number) => {
      const { filter, classes } = queryOf(number);
      const counted = [
        await r.objects.count({ classes, filter: filter as Filter }, visibilities[number % 2] as Visibility),
        await r.objects.count({ classes }, reader),
      ];
      equalInAnyOrder(counted, [all.length, 2 * all.length], "the numbers of objects");
    }),

  "selects all objects for a bulk change": ({ all, beside }) =>
    beside(async (r, number) => {
      const found = await r.objects.match(queryOf(number), visibilities[number % 2] as Visibility, 1_000);
      equalInAnyOrder(idsOf(found), idsOf(all), "the matching objects");
    }),

  "reads the last change of all objects": ({ all, beside, maker }) =>
    beside(async (r) => {
      const changes = await changesUpTo(r, Number.MAX_SAFE_INTEGER, beforeAllChanges, 10_000, ["File", "Image"]);
      const last = new Set(idsOf(changes.filter(({ kind }) => kind === "stored")));
      const expected = [...idsOf(all), maker];
      equalInAnyOrder(
        expected.filter((id) => last.has(id)),
        expected,
        "the objects in the changes",
      );
    }),

  "finds all references and all referenced objects": ({ all, maker, beside }) =>
    beside(async (r, number) => {
      const referrers = await r.deletion.referrers([maker], { attributes: null, limit: 1_000 });
      equalInAnyOrder(idsOf(referrers), idsOf(all), "the referring objects");
      const which = number % 2 === 0 ? idsOf(all) : { uuids: all.map(({ uuid }) => uuid) };
      equalInAnyOrder(idsOf(await r.objects.get(which, reader)), idsOf(all), "the objects");
      equalInAnyOrder(idsOf(await r.objects.outlines(idsOf(all), reader)), idsOf(all), "the outlines");
    }),

  "lists all objects in the recycle bin": async ({ storage, r, reads, all }) => {
    const [kept, moved] = [idsOf(all.slice(0, 30)), idsOf(all.slice(30, 35))];
    for (const id of kept) await deleteObjects(storage, [id], true);
    const moves = async () => {
      for (const id of moved) await deleteObjects(storage, [id], true);
      for (const id of moved) await restoreObjects(storage, id);
    };
    await besides(moves, reads, async () => {
      const found = await r.deletion.listRecycled({ deletedBy: null, visibility: reader, after: null, limit: 1_000 });
      equalInAnyOrder(
        idsOf(found).filter((id) => kept.includes(id)),
        kept,
        "the recycled objects",
      );
    });
  },
});

const ofAccounts = checksAfter("reads beside writers", nameAccounts, {
  "finds and lists all accounts": async ({ storage, r, reads, names, renamed }) => {
    let round = 0;
    const rename = () =>
      storage.transaction(async (inside) => {
        const loginName = `account ${(round += 1)}`;
        await inside.accounts.change(renamed, { name: { loginName, confusableKey: loginName } });
        await keepOpen(inside, 2);
      });
    await besides(rename, reads, async (number) => {
      const listed = (await r.accounts.list("database", null, 100)).map(({ loginName }) => loginName);
      equalInAnyOrder(
        listed.filter((each) => names.includes(each)),
        names,
        "the names of the accounts",
      );
      const loginName = names[number % names.length] as string;
      const { account } = await r.accounts.find({ realm: "database", loginName }, []);
      equalInAnyOrder([account?.loginName], [loginName], "the name of the found account");
    });
  },
});

async function nameAccounts({ r }: { readonly storage: Storage; readonly r: Repositories }) {
  const names = Array.from({ length: 8 }, (_, number) => `before ${number}`).concat("later 1", "later 2");
  for (const loginName of names) await createUser(r, { loginName });
  const { id: renamed } = await createUser(r, { loginName: "account" });
  return { names, renamed };
}

export const besideWriterChecks: readonly Check[] = [...ofObjects, ...ofAccounts];
