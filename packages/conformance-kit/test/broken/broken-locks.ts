import { type Digest, type Lock, type ObjectId, type Repositories, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const limited = "are as many for a session as it may have";

/** A limit that is minded by counting beforehand what was taken before, as far as it still counts. */
function countingLocks(counts: (r: Repositories, id: ObjectId, session: Digest) => boolean | Promise<boolean>) {
  return () => {
    const taken = new Map<Digest, Set<ObjectId>>();
    return (r: Repositories) => ({
      locks: {
        take: async (id: ObjectId, session: Digest, atMost = 0) => {
          const ids = taken.get(session) ?? new Set();
          taken.set(session, ids);
          const counted = await Promise.all(
            [...ids].filter((each) => each !== id).map((each) => counts(r, each, session)),
          );
          if (atMost > 0 && counted.filter(Boolean).length >= atMost) return "full";
          const outcome = await r.locks.take(id, session);
          if (outcome === "taken") ids.add(id);
          return outcome;
        },
      },
    });
  };
}

/** Faults in locks. */
export const brokenLocks: readonly BrokenAdapter[] = [
  broken(
    "counts what a session has locked before it was over",
    ["of a session that is over are not among its own"],
    countingLocks(() => true),
  ),

  broken("gives the lock to everybody", "are one session's, and taking them again changes nothing", () => (r) => ({
    locks: {
      take: async (id, session) => {
        await r.locks.release(id, null);
        return r.locks.take(id, session);
      },
    },
  })),

  broken("refuses a session its own lock", "are one session's, and taking them again changes nothing", () => (r) => ({
    locks: { take: async (id, session) => ((await r.locks.state(id)) === null ? r.locks.take(id, session) : "held") },
  })),

  broken(
    "begins a lock anew that is taken again",
    "are one session's, and taking them again changes nothing",
    () => (r) => ({
      locks: {
        take: async (id, session) => {
          await r.locks.release(id, session);
          return r.locks.take(id, session);
        },
      },
    }),
  ),

  broken("lets anybody release", "are one session's, and taking them again changes nothing", () => (r) => ({
    locks: { release: (id) => r.locks.release(id, null) },
  })),

  broken("says that it released what was free", "are taken, seen and released", () => (r) => ({
    locks: {
      release: async (id, session) => {
        const outcome = await r.locks.release(id, session);
        return outcome === "free" ? "released" : outcome;
      },
    },
  })),

  broken("locks the whole class", "are of one object each", () => {
    let first: ObjectId | undefined;
    return (r) => ({ locks: { take: (id, session) => r.locks.take((first ??= id), session) } });
  }),

  broken("locks what is not there", "cannot be taken of what is not there", () => (r) => ({
    locks: {
      take: async (id, session) => {
        const outcome = await r.locks.take(id, session);
        return outcome === "gone" ? "taken" : outcome;
      },
    },
  })),

  broken("looks before it takes", "are taken by one of those who want them at once", () => (r) => ({
    locks: {
      take: async (id, session, ...limit) => {
        const lock = await r.locks.state(id);
        if (lock !== null) return lock.session === session ? "taken" : "held";
        await pause();
        await r.locks.release(id, null);
        return r.locks.take(id, session, ...limit);
      },
    },
  })),

  broken("takes any number of locks", limited, () => (r) => ({
    locks: { take: (id, session) => r.locks.take(id, session) },
  })),

  broken("allows one lock more", limited, () => (r) => ({
    locks: { take: (id, session, atMost = 0) => r.locks.take(id, session, atMost === 0 ? 0 : atMost + 1) },
  })),

  broken("counts a lock that is taken again", limited, () => {
    const taken = new Map<Digest, ObjectId[]>();
    return (r) => ({
      locks: {
        take: async (id, session, atMost = 0) => {
          const ids = taken.get(session) ?? [];
          if (atMost > 0 && ids.length >= atMost) return "full";
          taken.set(session, [...ids, id]);
          return r.locks.take(id, session);
        },
      },
    });
  }),

  broken("counts the locks of all sessions", limited, () => {
    const taken = new Set<ObjectId>();
    return (r) => ({
      locks: {
        take: async (id, session, atMost = 0) => {
          if (atMost > 0 && !taken.has(id) && taken.size >= atMost) return "full";
          taken.add(id);
          return r.locks.take(id, session);
        },
      },
    });
  }),

  broken(
    "counts locks that were released",
    limited,
    countingLocks(() => true),
  ),

  broken(
    "counts locks of objects that are gone",
    "of sessions that are over and objects that are gone are not among those that a session has",
    countingLocks(async (r, id) => {
      const there = (await r.objects.get([id], seesAll)).length > 0;
      return !there || (await r.locks.state(id)) !== null;
    }),
  ),

  broken(
    "counts locks before it takes one",
    "are no more than a session may have, however many it takes at once",
    countingLocks(async (r, id, session) => {
      const lock = await r.locks.state(id);
      await pause();
      return lock?.session === session;
    }),
  ),

  broken(
    "lets writes without a session through",
    "refuse writes of other sessions and of none with 713, all or nothing",
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          const [change] = changes;
          const lock = by.session === null && change !== undefined ? await r.locks.state(change.id) : null;
          return r.objects.update(changes, lock === null ? by : { ...by, session: lock.session });
        },
      },
    }),
  ),

  broken("looks at locks before it writes", "keep out writes that were under way when they are taken", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        const locks = await Promise.all(changes.map(({ id }) => r.locks.state(id)));
        if (locks.some((lock) => lock !== null && lock.session !== by.session)) return r.objects.update(changes, by);
        await pause();
        const holder = await r.locks.state(changes[0]?.id ?? "");
        return r.objects.update(changes, { ...by, session: holder?.session ?? by.session });
      },
    },
  })),

  broken(
    "keeps locks of sessions that are over",
    [
      "are free when their session has ended",
      "are free when their session has expired",
      "are free when the session of their device is replaced",
    ],
    () => {
      const taken = new Map<ObjectId, Lock>();
      return (r) => ({
        locks: {
          take: async (id: ObjectId, session: Digest) => {
            const holder = taken.get(id);
            if (holder !== undefined && holder.session !== session) return "held";
            const outcome = await r.locks.take(id, session);
            if (outcome === "taken") taken.set(id, { session, since: 0 });
            return outcome;
          },
          state: async (id: ObjectId) => taken.get(id) ?? null,
        },
      });
    },
  ),

  broken("lets a lock expire by itself", "last as long as their session is extended", () => {
    const since = new Map<ObjectId, number>();
    return (r) => ({
      locks: {
        take: async (id, session) => {
          const outcome = await r.locks.take(id, session);
          const lock = await r.locks.state(id);
          if (outcome === "taken" && !since.has(id)) since.set(id, lock?.since ?? 0);
          if (outcome !== "held") return outcome;
          // The clock as the storage tells it, by way of an object that is created now.
          const [object] = await r.objects.insert([{ className: "Image", attributes: {} }]);
          if ((object?.storedAt ?? 0) - (since.get(id) ?? 0) < 600_000) return outcome;
          await r.locks.release(id, null);
          return r.locks.take(id, session);
        },
      },
    });
  }),

  broken("writes the object that it locks", "leave the object as it is", () => (r) => ({
    locks: {
      take: async (id, session) => {
        const outcome = await r.locks.take(id, session);
        if ((await r.objects.get([id], seesAll)).length > 0)
          await r.objects.update([{ id, attributes: {}, links: {}, expectedVersions: null }], { session });
        return outcome;
      },
    },
  })),

  broken("sweeps every lock", "are forgotten when they are swept, those of live sessions are not", () => {
    const taken = new Set<ObjectId>();
    return (r) => ({
      locks: {
        take: (id, session) => {
          taken.add(id);
          return r.locks.take(id, session);
        },
        sweep: async (limit) => {
          for (const id of taken) await r.locks.release(id, null);
          return r.locks.sweep(limit);
        },
      },
    });
  }),

  broken(
    "sweeps more than it is asked to",
    "are forgotten when they are swept, those of live sessions are not",
    () => (r) => ({
      locks: { sweep: (limit) => r.locks.sweep(limit + 1) },
    }),
  ),
];
