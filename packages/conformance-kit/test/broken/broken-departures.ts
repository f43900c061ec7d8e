import {
  type Departure,
  type HeldObject,
  objectNumber,
  type Referrer,
  type Repositories,
  seesAll,
  ServiceError,
  type StoredObject,
} from "@sallyport/core";
import { type BrokenAdapter, broken, pause, unguarded } from "./broken-adapter.ts";

type Departures = Repositories["departures"];

/** A fault in the port itself, made anew for every check. */
function departing(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (r: Repositories) => Partial<Departures>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ departures: makeFault(r) }));
}

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

function referring(change: (referrers: Referrer[]) => Referrer[]) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    referrers: async (...asked) => change(await departures.referrers(...asked)),
  });
}

function recycling(change: (group: StoredObject[], id: string) => StoredObject[]) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    recycledWith: async (id, by) => change(await departures.recycledWith(id, by), id),
  });
}

const reading = "take objects out of everything that is read, and leave what they were";
const leading = "tell what links lead to, and whether it can still be pointed to";
const counted = "are counted by class while they can return";
const together = "bring back what went together, whichever of it is asked for";

/** Faults in how objects go and come back. */
export const brokenDepartures: readonly BrokenAdapter[] = [
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
    contents: { isEmpty: async () => (await r.objects.count({ classes: ["File"] }, seesAll)) === 0 },
  })),

  departing(
    "knows one link of an object",
    "know who points to an object, by which attribute, each link once",
    referring((referrers) =>
      referrers.filter(({ id }, index) => referrers.findIndex((each) => each.id === id) === index),
    ),
  ),
  departing(
    "does not look at the names of attributes",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: (ids, query) => departures.referrers(ids, { ...query, attributes: null }),
    }),
  ),
  departing(
    "does not look at the classes of referrers",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: async (ids, { attributes, limit }) => {
        const all = await departures.referrers(ids, { attributes: null, limit: Infinity });
        return all
          .filter((link) => attributes === null || attributes.some(({ attribute }) => attribute === link.attribute))
          .slice(0, limit);
      },
    }),
  ),
  departing(
    "answers more referrers than asked for",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: (ids, query) => departures.referrers(ids, { ...query, limit: Infinity }),
    }),
  ),
  departing(
    "takes objects for referrers of themselves",
    "leave out of the referrers the objects themselves, and what is gone",
    ({ departures }) => ({
      referrers: async (ids, query) => (await Promise.all(ids.map((id) => departures.referrers([id], query)))).flat(),
    }),
  ),

  departing(
    "clears the whole attribute",
    "take targets out of references and collections, and leave the rest",
    (r) => ({
      clear: async (links) => {
        for (const { id, attribute } of links) {
          await r.objects.update(
            [
              {
                id,
                attributes: { [attribute]: attribute === "Team" ? [] : null },
                links: { [attribute]: [] },
                expectedVersions: null,
              },
            ],
            { session: null },
          );
        }
      },
    }),
  ),
  departing(
    "writes an object once for each link",
    "take targets out of references and collections, and leave the rest",
    ({ departures }) => ({
      clear: async (links) => {
        for (const link of links) await departures.clear([link]);
      },
    }),
  ),

  departing(
    "brings back one alone",
    together,
    recycling((group, id) => group.filter((object) => object.id === id)),
  ),
  departing(
    "finds together what went with the first alone",
    together,
    recycling((group, id) => (group[0]?.id === id ? group : [])),
  ),
  departing("brings back who could read", together, ({ departures }) => ({
    restore: async (objects) => (await departures.restore(objects)).map((object) => ({ ...object, readers: null })),
  })),
  departing("begins anew with the versions", together, ({ departures }) => ({
    restore: async (objects) => (await departures.restore(objects)).map((object) => ({ ...object, version: 1 })),
  })),
  departing("brings everything back as it was", "come back without what they have lost", ({ departures }) => ({
    restore: (objects) => departures.restore(objects.map((object) => ({ ...object, attributes: {} }))),
  })),
  departing("brings back no links", "come back with the links that are given for them", ({ departures }) => ({
    restore: (objects) => departures.restore(objects.map((object) => ({ ...object, links: {} }))),
  })),
  departing(
    "clears what points to the recycled",
    "leave what points to them as it is until they are back",
    ({ departures }) => ({
      depart: async (ids, how) => {
        await departures.clear(await departures.referrers(ids, { attributes: null, limit: Infinity }));
        return departures.depart(ids, how);
      },
    }),
  ),
  departing("takes what is gone for what can be pointed to", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).map((target) => ({ ...target, remains: true })),
  })),
  departing("forgets what is gone", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).filter(({ remains }) => remains),
  })),
  departing("points to live objects alone", leading, (r) => ({
    targets: async (ids) =>
      (await r.objects.get(ids, seesAll)).map(({ id, className }) => ({ id, className, remains: true })),
  })),
  departing("takes everything for one class", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).map((target) => ({ ...target, className: "File" })),
  })),
  departing("counts the recycler whatever is asked for", counted, ({ departures }) => ({
    countRecycled: () => departures.countRecycled(["File", "Image"]),
  })),
  departing("counts classes one by one", counted, ({ departures }) => ({
    countRecycled: async (classes) =>
      (await Promise.all(classes.map((name) => departures.countRecycled([name])))).reduce(
        (sum, count) => sum + count,
        0,
      ),
  })),
  departing("counts what is there", counted, (r) => ({
    countRecycled: (classes) => r.objects.count({ classes }, seesAll),
  })),

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

  broken(
    "removes the last administrator",
    [
      "does not remove the last administrator who is not disabled",
      "leaves an administrator when two remove one another at once",
    ],
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          for (const account of await r.accounts.list(null, 100)) {
            if (account.administrator && userIds.includes(account.userId)) {
              await r.accounts.create(
                {
                  userId: `ZZ${objectNumber(account.userId)}`,
                  loginName: `stand-in ${account.userId}`,
                  secret: "",
                  administrator: true,
                },
                `stand-in ${account.userId}`,
              );
            }
          }
          return r.accounts.remove(userIds);
        },
      },
    }),
  ),
  broken("removes one account alone", "removes accounts, with their names and sessions, and no others", () => (r) => ({
    accounts: { remove: (userIds) => r.accounts.remove(userIds.slice(0, 1)) },
  })),
  broken("counts disabled administrators", "does not remove the last administrator who is not disabled", () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const others = (await r.accounts.list(null, 100)).filter(
          ({ administrator, userId }) => administrator && !userIds.includes(userId),
        );
        if (others.length === 0) return "lastAdministrator";
        for (const { userId } of others) await r.accounts.setDisabled(userId, false);
        return r.accounts.remove(userIds);
      },
    },
  })),
];
