import { type ObjectPage, type ObjectQuery, type Page, type Repositories, type StoredObject } from "@sallyport/storage";
import { type Fault, withFaults } from "./broken-adapter.ts";

type Find = (query: ObjectQuery, page: Page, find: (page: Page) => Promise<ObjectPage>) => Promise<ObjectPage>;

function finding(change: Find): Fault {
  return ({ objects }) => ({
    objects: {
      find: (query, visibility, page) => change(query, page, (asked) => objects.find(query, visibility, asked)),
    },
  });
}

function sorted(compare: (one: unknown, other: unknown) => number): Fault {
  return finding(async ({ sort = [] }, page, find) => {
    const found = await find(page);
    const [key] = sort;
    if (key?.path.type !== "string") return found;
    const valueOf = ({ attributes }: StoredObject) => attributes[key.path.leaf] ?? null;
    const sign = key.descending ? -1 : 1;
    const objects = found.objects.toSorted((one, other) => sign * compare(valueOf(one), valueOf(other)));
    return { ...found, objects };
  });
}

/** Faults that random queries find. */
const ofQueries: { readonly [fault: string]: Fault } = {
  "sorts texts by UTF-16 code units": sorted((one, other) =>
    String(one ?? "") < String(other ?? "") ? -1 : Number(one !== other),
  ),
  "sorts null last": sorted((one, other) => Number(one === null) - Number(other === null)),
  "begins a sorted page one object too late": finding(({ sort = [] }, page, find) =>
    find("offset" in page && page.offset > 0 && sort.length > 0 ? { ...page, offset: page.offset + 1 } : page),
  ),
  "skips objects equal to the position": finding((_query, page, find) =>
    find(
      "after" in page && page.after.values.length > 0 ? { ...page, after: { ...page.after, id: "ZZZZZZZZZZ" } } : page,
    ),
  ),
};

/** Faults that random histories find. */
const ofHistories: { readonly [fault: string]: Fault } = {
  "permanently deletes recycled objects": ({ deletion }) => ({
    deletion: { delete: (ids, how) => deletion.delete(ids, { ...how, recycled: false }) },
  }),
  "keeps the version of a deleted object": ({ deletion }) => ({
    deletion: {
      find: async (...asked) => {
        const found = await deletion.find(...asked);
        return found === null ? null : { ...found, version: found.version - 1 };
      },
    },
  }),
  "restores no links": ({ deletion }) => ({
    deletion: { restore: (objects) => deletion.restore(objects.map((object) => ({ ...object, links: {} }))) },
  }),
  "gives a lock to every session": ({ locks }) => ({
    locks: {
      take: async (id, session) => {
        await locks.release(id, null);
        return locks.take(id, session);
      },
    },
  }),
  "releases locks for any session": ({ locks }) => ({ locks: { release: (id) => locks.release(id, null) } }),
  "ignores the session limit of the user": ({ sessions }) => ({
    sessions: { open: (session, policy) => sessions.open(session, { ...policy, perUserLimit: 0 }) },
  }),
  "ignores devices": ({ sessions }) => ({
    sessions: { open: (session, policy) => sessions.open({ ...session, deviceId: null }, policy) },
  }),
  "forgets readers before with the next write": ({ objects }) => ({
    objects: {
      changes: async (query) => {
        const page = await objects.changes(query);
        return { ...page, changes: page.changes.filter(({ kind }) => kind !== "superseded") };
      },
    },
  }),
  "never reports a forgotten stamp": ({ objects }) => ({
    objects: { changes: async (query) => ({ ...(await objects.changes(query)), swept: 0 }) },
  }),
};

const creating = (faults: { readonly [fault: string]: Fault }) =>
  Object.entries(faults).map(([fault, faulty]) => ({ fault, create: withFaults(() => faulty) }));

/** Storages that differ from the reference in queries, and in histories. */
export const differingInQueries = creating(ofQueries);
export const differingInHistories = creating(ofHistories);

/** A storage with another `find`. */
export const findingOtherwise = (find: Repositories["objects"]["find"]) =>
  withFaults(() => () => ({ objects: { find } }));
