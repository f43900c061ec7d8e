import { type Departure, type HeldObject, type Repositories, seesAll, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause, unguarded } from "../broken-adapter.ts";
import { departing, type Departures, together } from "./departing.ts";

function finding(change: (departure: Departure) => Departure | null) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    find: async (reference, visibility) => {
      const found = await departures.find(reference, visibility);
      return found === null ? null : change(found);
    },
  });
}

function holding(change: (held: HeldObject[]) => HeldObject[]) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    hold: async (...asked) => change(await departures.hold(...asked)),
  });
}

const reading = "take objects out of everything that is read, and leave what they were";

/** Faults in how objects go, in what is left of them, and in how departures are told. */
export const brokenGoing: readonly BrokenAdapter[] = [
  departing("deletes nothing", reading, () => ({ depart: async () => "departed" })),
  departing("recycles what is deleted", reading, ({ departures }) => ({
    depart: (ids, how) => departures.depart(ids, { ...how, recycled: true }),
  })),
  departing("deletes what is recycled", [reading, together], ({ departures }) => ({
    depart: (ids, how) => departures.depart(ids, { ...how, recycled: false }),
  })),
  departing("lets only the first go", reading, ({ departures }) => ({
    depart: (ids, how) => departures.depart(ids.slice(0, 1), how),
  })),
  departing(
    "leaves the version as it was",
    reading,
    finding((departure) => ({ ...departure, version: departure.version - 1 })),
  ),
  departing(
    "dates departures by the process's clock",
    reading,
    finding((departure) => ({ ...departure, departedAt: Date.now() })),
  ),
  departing("does not find what is left by UUID", reading, ({ departures }) => ({
    find: async (reference, visibility) => (reference.kind === "uuid" ? null : departures.find(reference, visibility)),
  })),
  departing("shows what is left to everybody", "are seen by those who could read the object", ({ departures }) => ({
    find: (reference) => departures.find(reference, seesAll),
  })),
  departing("looks at classes alone", "are seen by those who could read the object", ({ departures }) => ({
    find: (reference, visibility) => departures.find(reference, { ...visibility, principals: null }),
  })),
  departing(
    "shows what is left to administrators alone",
    "are seen by those who could read the object",
    ({ departures }) => ({
      find: async (reference, visibility) =>
        visibility.classes === null && visibility.principals === null ? departures.find(reference, visibility) : null,
    }),
  ),

  broken("forgets who had a UUID", "keep their UUIDs to themselves", () => (r) => ({
    objects: {
      insert: async (objects, by) => {
        const taken = await Promise.all(
          objects.map(({ uuid }) => (uuid === undefined ? null : r.departures.find({ kind: "uuid", uuid }, seesAll))),
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
        const known = async (id: string) => (await r.departures.find({ kind: "id", id }, seesAll))?.kind === "recycled";
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

  departing(
    "holds in the order asked for",
    "hold what is there, by ascending number, and tell who has locked it",
    ({ departures }) => ({
      hold: async (ids, by) => {
        const held = await departures.hold(ids, by);
        return [...new Set(ids)].flatMap((id) => held.find(({ object }) => object.id === id) ?? []);
      },
    }),
  ),
  departing(
    "does not look at locks",
    [
      "hold what is there, by ascending number, and tell who has locked it",
      "see a lock that is being taken, or keep it from being taken",
    ],
    holding((held) => held.map(({ object }) => ({ object, lockedBy: null }))),
  ),

  departing("does not look at the model", "are refused under an outdated model", ({ departures }) => ({
    hold: (ids) => departures.hold(ids),
    recycledWith: (id) => departures.recycledWith(id),
  })),

  broken("keeps what its transaction took back", "leave nothing behind when their transaction is taken back", () => {
    const gone = new Map<string, Departure>();
    return (r) => ({
      departures: {
        depart: async (ids, how) => {
          const outcome = await r.departures.depart(ids, how);
          for (const id of ids) gone.set(id, (await r.departures.find({ kind: "id", id }, seesAll)) as Departure);
          return outcome;
        },
        find: async (reference, visibility) =>
          (reference.kind === "id" ? gone.get(reference.id) : null) ?? r.departures.find(reference, visibility),
      },
    });
  }),

  broken("does not tell of departures", ["are told as changes, in the order in which they came"], () => (r) => ({
    changes: { read: async (...asked) => (await r.changes.read(...asked)).filter(({ kind }) => kind === "stored") },
  })),
  broken(
    "tells of departures as of deletions",
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
    "tells of departures after everything else",
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
      const departures: Departures = Object.assign(Object.create(r.departures) as Departures, {
        hold: (...asked: Parameters<Departures["hold"]>) => late(r.departures.hold(...asked)),
        referrers: (...asked: Parameters<Departures["referrers"]>) => late(r.departures.referrers(...asked)),
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
        transaction: (work) => work({ ...r, departures }, unguarded),
      };
    },
  },
];
