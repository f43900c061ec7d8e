import { type LockedRow, type Repositories, seesAll, ServiceError, type Tombstone } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause, unguarded, unlimited, withFeed } from "../broken-adapter.ts";
import { withDeletion, type Deletion, together } from "./with-deletion.ts";

function finding(change: (tombstone: Tombstone) => Tombstone | null) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    find: async (reference, visibility) => {
      const found = await deletion.find(reference, visibility);
      return found === null ? null : change(found);
    },
  });
}

function withLockedRows(change: (rows: LockedRow[]) => LockedRow[]) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    lock: async (...asked) => change(await deletion.lock(...asked)),
  });
}

const reading = "hides deleted objects from every read and keeps tombstones";

/** Faults in deletions, tombstones and their reads. */
export const brokenDeletion: readonly BrokenAdapter[] = [
  withDeletion("deletes nothing", reading, () => ({ delete: async () => "deleted" })),
  withDeletion("recycles permanently deleted objects", reading, ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids, { ...how, recycled: true }),
  })),
  withDeletion("permanently deletes recycled objects", [reading, together], ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids, { ...how, recycled: false }),
  })),
  withDeletion("deletes the first object only", reading, ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids.slice(0, 1), how),
  })),
  withDeletion(
    "keeps the version of a deleted object",
    reading,
    finding((tombstone) => ({ ...tombstone, version: tombstone.version - 1 })),
  ),
  withDeletion(
    "dates tombstones with the process clock",
    reading,
    finding((tombstone) => ({ ...tombstone, deletedAt: Date.now() })),
  ),
  withDeletion("does not find tombstones by UUID", reading, ({ deletion }) => ({
    find: async (reference, visibility) => (reference.kind === "uuid" ? null : deletion.find(reference, visibility)),
  })),
  withDeletion(
    "shows tombstones to every caller",
    "shows tombstones to callers that could read the object",
    ({ deletion }) => ({
      find: (reference) => deletion.find(reference, seesAll),
    }),
  ),
  withDeletion(
    "checks only classes for tombstones",
    "shows tombstones to callers that could read the object",
    ({ deletion }) => ({
      find: (reference, visibility) => deletion.find(reference, { ...visibility, principals: null }),
    }),
  ),
  withDeletion(
    "shows tombstones to administrators only",
    "shows tombstones to callers that could read the object",
    ({ deletion }) => ({
      find: async (reference, visibility) =>
        visibility.classes === null && visibility.principals === null ? deletion.find(reference, visibility) : null,
    }),
  ),

  broken("frees the UUIDs of deleted objects", "never reuses the ID or the UUID of a deleted object", () => (r) => ({
    objects: {
      insert: async (objects, by) => {
        const taken = await Promise.all(
          objects.map(({ uuid }) => (uuid === undefined ? null : r.deletion.find({ kind: "uuid", uuid }, seesAll))),
        );
        return r.objects.insert(
          objects.map(({ uuid, ...object }, index) =>
            taken[index] === null && uuid !== undefined ? { ...object, uuid } : object,
          ),
          by,
        );
      },
    },
  })),

  broken(
    "treats deleted objects as unknown",
    "distinguishes deleted objects from unknown ones in writes",
    () => (r) => ({
      objects: {
        update: (...changed) =>
          r.objects
            .update(...changed)
            .catch((error: unknown) =>
              Promise.reject(error instanceof ServiceError && error.code === 610 ? new ServiceError(304) : error),
            ),
      },
    }),
  ),

  broken(
    "allows links to recycled objects",
    "distinguishes deleted objects from unknown ones in writes",
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          const known = async (id: string) => (await r.deletion.find({ kind: "id", id }, seesAll))?.kind === "recycled";
          const allowed = await Promise.all(
            changes.map(async (change) => {
              const links = [];
              for (const [attribute, ids] of Object.entries(change.links)) {
                const recycled = await Promise.all(ids.map(known));
                links.push([attribute, ids.filter((_, index) => recycled[index] !== true)] as const);
              }
              return { ...change, links: Object.fromEntries(links) };
            }),
          );
          return r.objects.update(allowed, by);
        },
      },
    }),
  ),

  withDeletion(
    "locks rows in the given order",
    "locks live objects for update in ascending order and reports their locks",
    ({ deletion }) => ({
      lock: async (ids, by) => {
        const rows = await deletion.lock(ids, by);
        return [...new Set(ids)].flatMap((id) => rows.find(({ object }) => object.id === id) ?? []);
      },
    }),
  ),
  withDeletion(
    "ignores locks of sessions",
    [
      "locks live objects for update in ascending order and reports their locks",
      "serializes a deletion with taking a lock",
    ],
    withLockedRows((rows) => rows.map(({ object }) => ({ object, lockedBy: null }))),
  ),

  withDeletion(
    "ignores the model generation in deletions",
    "refuses deletion calls under an outdated model",
    ({ deletion }) => ({
      lock: (ids) => deletion.lock(ids),
      recycledWith: (id) => deletion.recycledWith(id),
    }),
  ),

  broken("keeps rolled-back deletions", "rolls back deletions with their transaction", () => {
    const gone = new Map<string, Tombstone>();
    return (r) => ({
      deletion: {
        delete: async (ids, how) => {
          const outcome = await r.deletion.delete(ids, how);
          for (const id of ids) gone.set(id, (await r.deletion.find({ kind: "id", id }, seesAll)) as Tombstone);
          return outcome;
        },
        find: async (reference, visibility) =>
          (reference.kind === "id" ? gone.get(reference.id) : null) ?? r.deletion.find(reference, visibility),
      },
    });
  }),

  broken(
    "does not report tombstones",
    ["reports deletions as changes in commit order"],
    () => (r) => withFeed(r, (changes) => changes.filter(({ kind }) => kind === "stored")),
  ),
  broken(
    "reports tombstones as permanent deletions",
    ["reports deletions as changes in commit order"],
    () => (r) =>
      withFeed(r, (changes) =>
        changes.map((change) => (change.kind === "recycled" ? { ...change, kind: "deleted" as const } : change)),
      ),
  ),
  broken(
    "reports tombstones after all other changes",
    ["reports deletions as changes in commit order"],
    () => (r) =>
      withFeed(
        r,
        (all, { limit }) =>
          [...all.filter(({ kind }) => kind === "stored"), ...all.filter(({ kind }) => kind !== "stored")].slice(
            0,
            limit,
          ),
        unlimited,
      ),
  ),

  broken(
    "reports a database without objects as empty",
    "reports a database as not empty after all objects are deleted",
    () => (r) => ({
      settings: { isEmpty: async () => (await r.objects.count({ classes: ["File"] }, seesAll)) === 0 },
    }),
  ),
];

/** Faults in locking objects for update. */
export const brokenLockedRows: readonly BrokenAdapter[] = [
  {
    fault: "locks no rows",
    caughtBy: [
      "serializes a deletion with new references to its target",
      "deletes an object once in concurrent deletions",
    ],
    create: (options) => {
      const sound = broken("", "", () => () => ({})).create(options);
      const { repositories: r } = sound;
      const turns = async (count: number) => {
        for (let turn = 0; turn < count; turn += 1) await pause();
      };
      // The data that a transaction has read is outdated when it acts, because others write meanwhile.
      const late = async <T>(call: Promise<T>): Promise<T> => {
        const answer = await call;
        await turns(5);
        return answer;
      };
      const deletion: Deletion = Object.assign(Object.create(r.deletion) as Deletion, {
        lock: (...asked: Parameters<Deletion["lock"]>) => late(r.deletion.lock(...asked)),
        referrers: (...asked: Parameters<Deletion["referrers"]>) => late(r.deletion.referrers(...asked)),
      });
      const objects: Repositories["objects"] = Object.assign(Object.create(r.objects) as Repositories["objects"], {
        insert: (...asked: Parameters<Repositories["objects"]["insert"]>) =>
          turns(8).then(() => r.objects.insert(...asked)),
        update: (...asked: Parameters<Repositories["objects"]["update"]>) =>
          turns(8).then(() => r.objects.update(...asked)),
      });
      return {
        ...sound,
        repositories: { ...r, objects },
        transaction: (work) => work({ ...r, deletion }, unguarded),
      };
    },
  },
];
