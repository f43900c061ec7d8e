import { type Tombstone, type LockedRow, type Repositories, seesAll, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause, unguarded } from "../broken-adapter.ts";
import { withDeletion, type Deletion, together } from "./with-deletion.ts";

function finding(change: (tombstone: Tombstone) => Tombstone | null) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    find: async (reference, visibility) => {
      const found = await deletion.find(reference, visibility);
      return found === null ? null : change(found);
    },
  });
}

function holding(change: (held: LockedRow[]) => LockedRow[]) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    lock: async (...asked) => change(await deletion.lock(...asked)),
  });
}

const reading = "take objects out of everything that is read, and leave what they were";

/** Faults in how objects go, in what is left of them, and in how tombstones are told. */
export const brokenGoing: readonly BrokenAdapter[] = [
  withDeletion("deletes nothing", reading, () => ({ delete: async () => "deleted" })),
  withDeletion("recycles what is deleted", reading, ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids, { ...how, recycled: true }),
  })),
  withDeletion("deletes what is recycled", [reading, together], ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids, { ...how, recycled: false }),
  })),
  withDeletion("lets only the first go", reading, ({ deletion }) => ({
    delete: (ids, how) => deletion.delete(ids.slice(0, 1), how),
  })),
  withDeletion(
    "leaves the version as it was",
    reading,
    finding((tombstone) => ({ ...tombstone, version: tombstone.version - 1 })),
  ),
  withDeletion(
    "dates tombstones by the process's clock",
    reading,
    finding((tombstone) => ({ ...tombstone, deletedAt: Date.now() })),
  ),
  withDeletion("does not find what is left by UUID", reading, ({ deletion }) => ({
    find: async (reference, visibility) => (reference.kind === "uuid" ? null : deletion.find(reference, visibility)),
  })),
  withDeletion("shows tombstones to every caller", "are seen by those who could read the object", ({ deletion }) => ({
    find: (reference) => deletion.find(reference, seesAll),
  })),
  withDeletion("looks at classes alone", "are seen by those who could read the object", ({ deletion }) => ({
    find: (reference, visibility) => deletion.find(reference, { ...visibility, principals: null }),
  })),
  withDeletion(
    "shows what is left to administrators alone",
    "are seen by those who could read the object",
    ({ deletion }) => ({
      find: async (reference, visibility) =>
        visibility.classes === null && visibility.principals === null ? deletion.find(reference, visibility) : null,
    }),
  ),

  broken("forgets who had a UUID", "keep their UUIDs to themselves", () => (r) => ({
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

  broken("forgets what was there", "are told from what was never there by those who write", () => (r) => ({
    objects: {
      update: (...changed) =>
        r.objects
          .update(...changed)
          .catch((error: unknown) =>
            Promise.reject(error instanceof ServiceError && error.code === 610 ? new ServiceError(304) : error),
          ),
    },
  })),

  broken("lets what is recycled be pointed to", "are told from what was never there by those who write", () => (r) => ({
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
  })),

  withDeletion(
    "holds in the order asked for",
    "hold what is there, by ascending number, and tell who has locked it",
    ({ deletion }) => ({
      lock: async (ids, by) => {
        const held = await deletion.lock(ids, by);
        return [...new Set(ids)].flatMap((id) => held.find(({ object }) => object.id === id) ?? []);
      },
    }),
  ),
  withDeletion(
    "does not look at locks",
    [
      "hold what is there, by ascending number, and tell who has locked it",
      "see a lock that is being taken, or keep it from being taken",
    ],
    holding((held) => held.map(({ object }) => ({ object, lockedBy: null }))),
  ),

  withDeletion("does not look at the model", "are refused under an outdated model", ({ deletion }) => ({
    lock: (ids) => deletion.lock(ids),
    recycledWith: (id) => deletion.recycledWith(id),
  })),

  broken("keeps what its transaction took back", "leave nothing behind when their transaction is taken back", () => {
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

  broken("does not tell of tombstones", ["are told as changes, in the order in which they came"], () => (r) => ({
    changes: { read: async (...asked) => (await r.changes.read(...asked)).filter(({ kind }) => kind === "stored") },
  })),
  broken(
    "tells of tombstones as of deletions",
    ["are told as changes, in the order in which they came"],
    () => (r) => ({
      changes: {
        read: async (...asked) =>
          (await r.changes.read(...asked)).map((change) =>
            change.kind === "recycled" ? { ...change, kind: "deleted" as const } : change,
          ),
      },
    }),
  ),
  broken(
    "tells of tombstones after everything else",
    ["are told as changes, in the order in which they came"],
    () => (r) => ({
      changes: {
        read: async (after, upTo, limit) => {
          const all = await r.changes.read(after, upTo, Infinity);
          return [...all.filter(({ kind }) => kind === "stored"), ...all.filter(({ kind }) => kind !== "stored")].slice(
            0,
            limit,
          );
        },
      },
    }),
  ),

  broken("is empty when nothing is there any more", "leave a database that is not empty", () => (r) => ({
    settings: { isEmpty: async () => (await r.objects.count({ classes: ["File"] }, seesAll)) === 0 },
  })),
];

/** Faults in how objects are held before they go. */
export const brokenHolding: readonly BrokenAdapter[] = [
  {
    fault: "holds nothing",
    caughtBy: [
      "see a reference that is being made, or keep it from being made",
      "happen once, however many delete at once",
    ],
    create: (options) => {
      const sound = broken("", "", () => () => ({})).create(options);
      const { repositories: r } = sound;
      const turns = async (count: number) => {
        for (let turn = 0; turn < count; turn += 1) await pause();
      };
      // What a transaction has learned is out of date when it comes to act: others write meanwhile.
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
