import { type Digest, type Lock, type ObjectId, type Repositories, seesAll } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const limited = "limits the locks of a session";

/** A limit that counts existing locks before it takes one. */
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
          if (atMost > 0 && counted.filter(Boolean).length >= atMost) return "limitReached";
          const outcome = await r.locks.take(id, session);
          if (outcome === "locked") ids.add(id);
          return outcome;
        },
      },
    });
  };
}

/** Faults in locks. */
export const brokenLocks: readonly BrokenAdapter[] = [
  broken(
    "counts the former locks of an ended session",
    ["does not count the former locks of an ended session towards its limit"],
    countingLocks(() => true),
  ),

  broken(
    "gives a lock to every session",
    "gives a lock to one session, which can take it again without effect",
    () => (r) => ({
      locks: {
        take: async (id, session) => {
          await r.locks.release(id, null);
          return r.locks.take(id, session);
        },
      },
    }),
  ),

  broken(
    "refuses a session its own lock",
    "gives a lock to one session, which can take it again without effect",
    () => (r) => ({
      locks: {
        take: async (id, session) => ((await r.locks.state(id)) === null ? r.locks.take(id, session) : "lockedByOther"),
      },
    }),
  ),

  broken(
    "restarts a lock that is taken again",
    "gives a lock to one session, which can take it again without effect",
    () => (r) => ({
      locks: {
        take: async (id, session) => {
          await r.locks.release(id, session);
          return r.locks.take(id, session);
        },
      },
    }),
  ),

  broken(
    "releases locks for any session",
    "gives a lock to one session, which can take it again without effect",
    () => (r) => ({
      locks: { release: (id) => r.locks.release(id, null) },
    }),
  ),

  broken("reports a release of a free lock", "takes, reports and releases a lock", () => (r) => ({
    locks: {
      release: async (id, session) => {
        const outcome = await r.locks.release(id, session);
        return outcome === "notLocked" ? "released" : outcome;
      },
    },
  })),

  broken("locks the whole class", "locks each object separately", () => {
    let first: ObjectId | undefined;
    return (r) => ({ locks: { take: (id, session) => r.locks.take((first ??= id), session) } });
  }),

  broken("locks unknown objects", "refuses locks on objects that do not exist", () => (r) => ({
    locks: {
      take: async (id, session) => {
        const outcome = await r.locks.take(id, session);
        return outcome === "notFound" ? "locked" : outcome;
      },
    },
  })),

  broken("checks a lock before it takes it", "gives a lock to one of several concurrent sessions", () => (r) => ({
    locks: {
      take: async (id, session, ...limit) => {
        const lock = await r.locks.state(id);
        if (lock !== null) return lock.session === session ? "locked" : "lockedByOther";
        await pause();
        await r.locks.release(id, null);
        return r.locks.take(id, session, ...limit);
      },
    },
  })),

  broken("ignores the lock limit", limited, () => (r) => ({
    locks: { take: (id, session) => r.locks.take(id, session) },
  })),

  broken("allows one lock too many", limited, () => (r) => ({
    locks: { take: (id, session, atMost = 0) => r.locks.take(id, session, atMost === 0 ? 0 : atMost + 1) },
  })),

  broken("counts a lock again that is taken again", limited, () => {
    const taken = new Map<Digest, ObjectId[]>();
    return (r) => ({
      locks: {
        take: async (id, session, atMost = 0) => {
          const ids = taken.get(session) ?? [];
          if (atMost > 0 && ids.length >= atMost) return "limitReached";
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
          if (atMost > 0 && !taken.has(id) && taken.size >= atMost) return "limitReached";
          taken.add(id);
          return r.locks.take(id, session);
        },
      },
    });
  }),

  broken(
    "counts released locks",
    limited,
    countingLocks(() => true),
  ),

  broken(
    "counts locks of deleted objects",
    "does not count locks of ended sessions and of deleted objects towards the limit",
    countingLocks(async (r, id) => {
      const there = (await r.objects.get([id], seesAll)).length > 0;
      return !there || (await r.locks.state(id)) !== null;
    }),
  ),

  broken(
    "counts locks before it takes one",
    "enforces the lock limit of a session across concurrent calls",
    countingLocks(async (r, id, session) => {
      const lock = await r.locks.state(id);
      await pause();
      return lock?.session === session;
    }),
  ),

  broken(
    "accepts writes without a session to locked objects",
    "refuses writes to locked objects without the right session with 713, all or nothing",
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

  broken("checks locks before it writes", "blocks concurrent writes as soon as a lock is taken", () => (r) => ({
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
    "keeps locks of ended sessions",
    [
      "releases locks when their session ends",
      "releases locks when their session expires",
      "releases locks when a session of the same device replaces their session",
    ],
    () => {
      const taken = new Map<ObjectId, Lock>();
      return (r) => ({
        locks: {
          take: async (id: ObjectId, session: Digest) => {
            const holder = taken.get(id);
            if (holder !== undefined && holder.session !== session) return "lockedByOther";
            const outcome = await r.locks.take(id, session);
            if (outcome === "locked") taken.set(id, { session, since: 0 });
            return outcome;
          },
          state: async (id: ObjectId) => taken.get(id) ?? null,
        },
      });
    },
  ),

  broken("expires locks on their own", "keeps locks as long as their session is extended", () => {
    const since = new Map<ObjectId, number>();
    return (r) => ({
      locks: {
        take: async (id, session) => {
          const outcome = await r.locks.take(id, session);
          const lock = await r.locks.state(id);
          if (outcome === "locked" && !since.has(id)) since.set(id, lock?.since ?? 0);
          if (outcome !== "lockedByOther") return outcome;
          // Reads the storage clock by creating an object.
          const [object] = await r.objects.insert([{ className: "Image", attributes: {} }]);
          if ((object?.storedAt ?? 0) - (since.get(id) ?? 0) < 600_000) return outcome;
          await r.locks.release(id, null);
          return r.locks.take(id, session);
        },
      },
    });
  }),

  broken("writes the object that it locks", "leaves a locked object unchanged", () => (r) => ({
    locks: {
      take: async (id, session) => {
        const outcome = await r.locks.take(id, session);
        if ((await r.objects.get([id], seesAll)).length > 0)
          await r.objects.update([{ id, attributes: {}, links: {}, expectedVersions: null }], { session });
        return outcome;
      },
    },
  })),

  broken("sweeps every lock", "sweeps locks of ended sessions only", () => {
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

  broken("sweeps more locks than the limit", "sweeps locks of ended sessions only", () => (r) => ({
    locks: { sweep: (limit) => r.locks.sweep(limit + 1) },
  })),
];
