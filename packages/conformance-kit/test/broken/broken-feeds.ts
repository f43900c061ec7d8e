import { beforeAllChanges, type Change, type ObjectId, type Repositories, seesAll } from "@sallyport/storage";
import { type BrokenAdapter, broken, withFeed } from "./broken-adapter.ts";
import { idsOf } from "../../src/fixtures/objects.ts";
import { withDeletion } from "./deletion/with-deletion.ts";

const byClass = "reads only changes of the given classes, several in one order";
const current = "reports current readers, and none before the creation";
const before = "reports the readers before a change of readers, also after a later change";
const last = "keeps each reader in the last change that ended its access";
const whole = "reports the readers before the whole transaction";
const reveals = "tells which changes let others than before see an object";
const deleted = "reports the readers of deleted objects, and those before";
const followed = "lets each follower hold what it can read, and learn of nothing else";
const oldest = "forgets old tombstones, the oldest first, up to the limit";
const bin = "keeps objects and the recycle bin";
const unknown = "treats forgotten objects as unknown, but never reuses their IDs and UUIDs";
const highest = "reports the highest forgotten stamp, and keeps the watermark";
const after = "forgets old readers of before after the tombstones";

/** Answers each change differently. */
function withChange(fault: string, caughtBy: string | readonly string[], change: (each: Change) => Change[]) {
  return broken(fault, caughtBy, () => (r) => withFeed(r, (changes) => changes.flatMap(change)));
}

/** A fault in the highest forgotten stamp. */
function withSwept(fault: string, caughtBy: string | readonly string[], of: (swept: number) => number): BrokenAdapter {
  return broken(fault, caughtBy, () => ({ changes }) => ({
    changes: {
      read: async (query) => {
        const page = await changes.read(query);
        return { ...page, swept: of(page.swept) };
      },
    },
  }));
}

/** Stores what `read` has answered for each object, and answers something else later. */
function remembering(
  fault: string,
  caughtBy: string | readonly string[],
  answer: (each: Change, known: Change[]) => Change[],
): BrokenAdapter {
  return broken(fault, caughtBy, () => {
    const known = new Map<ObjectId, Change[]>();
    return (r) =>
      withFeed(r, (changes) =>
        changes.flatMap((each) => {
          const seen = known.get(each.id) ?? [];
          known.set(each.id, [...seen.filter(({ stamp }) => stamp !== each.stamp), each]);
          return answer(each, seen);
        }),
      );
  });
}

const brokenClasses: readonly BrokenAdapter[] = [
  broken(
    "ignores the classes of changes",
    byClass,
    () => (r) =>
      withFeed(
        r,
        (changes) => changes,
        (query) => ({ ...query, classes: [...query.classes, "File", "Image", "User"] }),
      ),
  ),
  broken(
    "reads changes of the first class only",
    byClass,
    () => (r) =>
      withFeed(
        r,
        (changes) => changes,
        (query) => ({ ...query, classes: query.classes.slice(0, 1) }),
      ),
  ),
  broken("reads changes by class, one class after another", byClass, () => ({ changes }) => ({
    changes: {
      read: async (query) => {
        const pages = await Promise.all(query.classes.map((name) => changes.read({ ...query, classes: [name] })));
        return {
          changes: pages.flatMap((page) => page.changes).slice(0, query.limit),
          swept: Math.max(0, ...pages.map(({ swept }) => swept)),
        };
      },
    },
  })),
  broken(
    "applies the limit before the classes",
    [byClass],
    () => (r) =>
      withFeed(
        r,
        (changes, { classes }) => changes.filter(({ className }) => classes.includes(className)),
        (query) => ({ ...query, classes: ["File", "Image", "User"] }),
      ),
  ),
  broken(
    "loses deletions of all classes but one",
    byClass,
    () => (r) =>
      withFeed(r, (changes) => changes.filter(({ kind, className }) => kind !== "deleted" || className === "File")),
  ),
];

const brokenReadersOfChanges: readonly BrokenAdapter[] = [
  withChange("tells of no change that lets others see an object", reveals, (each) => [{ ...each, reveals: false }]),
  withChange("reports no readers", current, (each) => [{ ...each, readers: [] }]),
  withChange("reports no list as an empty one", current, (each) => [{ ...each, readers: each.readers ?? [] }]),
  withChange("reports the readers of a new object as those before", current, (each) => [
    each.version === 1 ? { ...each, readersBefore: each.readers } : each,
  ]),
  withChange("reports no readers before", [before, followed], (each) => [{ ...each, readersBefore: each.readers }]),
  withChange("reports everybody as a reader before", [current, followed], (each) => [{ ...each, readersBefore: null }]),
  withChange("forgets readers before with the next write", [before, followed], (each) =>
    each.kind === "superseded" ? [] : [each],
  ),
  withChange("reports superseded changes as stored", [before], (each) => [
    each.kind === "superseded" ? { ...each, kind: "stored" } : each,
  ]),
  withChange("reports no readers before a deletion", deleted, (each) => [
    each.kind === "deleted" ? { ...each, readersBefore: [] } : each,
  ]),
  withChange("reports the readers at the deletion as those before", deleted, (each) => [
    each.kind === "deleted" ? { ...each, readersBefore: each.readers } : each,
  ]),
  remembering("repeats earlier readers before", last, (each, known) => {
    const lists = known.filter(({ kind }) => kind === "superseded").map(({ readersBefore }) => readersBefore);
    const all = lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
    return [each.kind === "superseded" && known.length > 0 ? { ...each, readersBefore: all } : each];
  }),
  broken("keeps the readers before each call, not before the transaction", whole, () => {
    const given = new Map<ObjectId, readonly ObjectId[] | null>();
    return (r) => ({
      objects: {
        update: async (changes, by) => {
          const objects = await r.objects.get(idsOf(changes), seesAll);
          const updated = await r.objects.update(changes, by);
          for (const { id, readers } of objects) given.set(id, readers);
          return updated;
        },
      },
      ...withFeed(r, (changes) =>
        changes.map((each) =>
          each.kind === "stored" && given.has(each.id) ? { ...each, readersBefore: given.get(each.id) ?? null } : each,
        ),
      ),
    });
  }),
  broken(
    "loses readers before through the recycle bin",
    ["keeps readers before through the recycle bin", followed],
    () => {
      const restored = new Set<ObjectId>();
      return (r) => ({
        deletion: {
          restore: async (objects) => {
            const result = await r.deletion.restore(objects);
            for (const { id } of result) restored.add(id);
            return result;
          },
        },
        ...withFeed(r, (changes) => changes.filter(({ id, kind }) => kind !== "superseded" || !restored.has(id))),
      });
    },
  ),
];

/** Sweeps another way. */
function withSweep(
  fault: string,
  caughtBy: string | readonly string[],
  sweep: (r: Repositories, age: number, limit: number) => Promise<number>,
): BrokenAdapter {
  return withDeletion(fault, caughtBy, (r) => ({ sweep: (age, limit) => sweep(r, age, limit) }));
}

const brokenSweeps: readonly BrokenAdapter[] = [
  withSweep("sweeps nothing", [oldest, highest], async () => 0),
  withSweep("ignores the age of tombstones", [oldest, bin], (r, _age, limit) => r.deletion.sweep(0, limit)),
  withSweep("ignores the limit of a sweep", oldest, (r, age) => r.deletion.sweep(age, 1_000)),
  withSweep("reports no number of tombstones", oldest, async (r, age, limit) => {
    await r.deletion.sweep(age, limit);
    return 0;
  }),
  withSweep("sweeps everything old at once", after, async (r, age, limit) => {
    const count = await r.deletion.sweep(age, limit);
    return count === 0 ? 0 : count + (await r.deletion.sweep(age, 1_000));
  }),
  withSwept("never reports a forgotten stamp", [highest, after], () => 0),
  withSwept("reports too low a stamp", [highest, after], (swept) => Math.max(swept - 1, 0)),
  withSwept("reports too high a stamp", [highest, after], (swept) => swept + 1),
  broken("lowers the watermark after a sweep", highest, () => (r) => ({
    changes: {
      watermark: async () => {
        const watermark = await r.changes.watermark();
        const query = { classes: ["File"], after: beforeAllChanges, upTo: watermark, limit: 1_000 };
        const { changes, swept } = await r.changes.read(query);
        return swept > 0 ? (changes.at(-1)?.stamp ?? 0) : watermark;
      },
    },
  })),
  broken("reuses the UUIDs of forgotten objects", unknown, () => {
    const swept = new Set<string>();
    return (r) => ({
      deletion: {
        find: async (reference, visibility) => {
          const found = await r.deletion.find(reference, visibility);
          if (found === null && reference.kind === "uuid") swept.add(reference.uuid);
          return found;
        },
      },
      objects: {
        insert: (objects, by) =>
          r.objects.insert(
            objects.map(({ uuid, ...object }) => {
              const lower = uuid?.toLowerCase();
              if (lower === undefined || !swept.has(lower)) return uuid === undefined ? object : { ...object, uuid };
              return object;
            }),
            by,
          ),
      },
    });
  }),
  withDeletion("keeps the tombstones of forgotten objects", unknown, (r) => ({
    find: async (reference, visibility) => {
      const found = await r.deletion.find(reference, visibility);
      if (found !== null || reference.kind !== "uuid") return found;
      return {
        id: "1",
        uuid: reference.uuid,
        className: "File",
        version: 2,
        deletedAt: 1,
        kind: "deleted",
        deletedBy: null,
      };
    },
  })),
  broken(
    "reports a database of forgotten objects as empty",
    "does not report a database as empty after all objects are forgotten",
    () => (r) => ({ settings: { isEmpty: async () => (await r.objects.count({ classes: ["File"] }, seesAll)) === 0 } }),
  ),
  withDeletion(
    "keeps the deleting user of recycled objects only",
    "keeps the deleting user of every tombstone",
    (r) => ({
      find: async (...asked) => {
        const found = await r.deletion.find(...asked);
        return found?.kind === "deleted" ? { ...found, deletedBy: null } : found;
      },
    }),
  ),
];

/** Faults in changes by class, in the readers of changes, and in sweeps. */
export const brokenFeeds: readonly BrokenAdapter[] = [...brokenClasses, ...brokenReadersOfChanges, ...brokenSweeps];
