import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { type Admission, type MessageVerdict, objectIdOf, type Repositories, ServiceError } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type Fault, unguarded } from "./broken-adapter.ts";
import { type ProcessFault, SharedDatabase } from "./shared-database.ts";

/** Storages of several processes with one fault, and the checks that detect it. */
export interface BrokenProcesses {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: AdapterUnderTest["create"];
}

function broken(fault: string, caughtBy: string, processFault: ProcessFault): BrokenProcesses {
  return {
    fault,
    caughtBy: [caughtBy],
    create: async (options) => new SharedDatabase(options, processFault).underTest(),
  };
}

/** Processes that each keep a private state. */
export function brokenMemory(fault: string, caughtBy: string, makeFault: () => Fault): BrokenProcesses {
  return broken(fault, caughtBy, { repositories: makeFault });
}

/** Repositories that are private to a process. */
export function privately(): Repositories {
  const storage = new MemoryStorage();
  void storage.migrate();
  return storage.repositories;
}

let clocks = 0;

const switched = "sees the switches of another process immediately";
const refusing = "reports a refusal of the database as such, without a retry, and goes on";
const losingPart = "retries after a serialization failure in a nested transaction, handled or not";
const losing = "retries after a serialization failure and gives up with 706 after the third attempt";

/** Faults that show when several processes use a database. */
export const brokenProcesses: readonly BrokenProcesses[] = [
  brokenMemory("counts only its own opened sessions", "enforces a session limit exactly across processes", () => {
    let opened = 0;
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          if ((policy.limit || policy.perUserLimit) <= opened) throw new ServiceError(315);
          opened += 1;
          await r.sessions.open(session, { ...policy, limit: 0, perUserLimit: 0 });
        },
      },
    });
  }),

  brokenMemory(
    "ends only its own sessions of a device",
    "enforces the session limit of a device exactly across processes",
    () => {
      const own: string[] = [];
      return (r) => ({
        sessions: {
          open: async (session, policy) => {
            for (const digest of own.splice(0, own.length + 1 - policy.perDevice)) await r.sessions.end({ digest });
            own.push(session.digest);
            await r.sessions.open({ ...session, deviceId: null }, policy);
          },
        },
      });
    },
  ),

  brokenMemory("counts only its own recycled objects", "enforces a recycle bin quota exactly across processes", () => {
    let recycled = 0;
    return (r) => ({
      deletion: {
        delete: async (ids, { quota = 0, ...how }) => {
          if (quota > 0 && recycled + ids.length > quota) return "full";
          recycled += ids.length;
          return r.deletion.delete(ids, how);
        },
      },
    });
  }),

  brokenMemory(
    "caches admissions in its process",
    "admits no session that another process has ended, starting with the next request",
    () => {
      const admitted = new Map<string | null, Admission>();
      return (r) => ({
        admission: {
          admit: async (request) => {
            const admission = admitted.get(request.session) ?? (await r.admission.admit(request));
            if (admission.session !== null) admitted.set(request.session, admission);
            return admission;
          },
        },
      });
    },
  ),

  brokenMemory("caches the maintenance switch", switched, () => {
    let known: boolean | undefined;
    return (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, maintenance: (known ??= admission.maintenance) };
        },
      },
      settings: {
        setMaintenance: (on) => {
          known = on;
          return r.settings.setMaintenance(on);
        },
      },
    });
  }),

  brokenMemory("counts only its own failures", "accepts one attempt after a delay across processes", () => {
    const own = privately();
    return () => ({
      throttle: { attempt: (keys) => own.throttle.attempt(keys), fail: (keys) => own.throttle.fail(keys) },
    });
  }),

  brokenMemory("numbers objects in its process", "assigns unique object IDs across processes", () => {
    let last = 1_000;
    return (r) => ({
      objects: {
        insert: async (...inserted) =>
          (await r.objects.insert(...inserted)).map((object) => ({ ...object, id: objectIdOf((last += 1)) })),
      },
    });
  }),

  brokenMemory(
    "keeps locks private to its process",
    "accepts one update of a version and one lock of an object across processes",
    () => {
      const own = new Map<string, string>();
      return (r) => ({
        locks: {
          take: async (id, session) => {
            const holder = own.get(id) ?? session;
            own.set(id, holder);
            return holder === session ? "locked" : "lockedByOther";
          },
          state: async (id) =>
            own.has(id) ? { session: own.get(id) ?? "", userId: "1", since: 0 } : r.locks.state(id),
        },
      });
    },
  ),

  brokenMemory("changes its cached model", "accepts one change of a model generation across processes", () => (r) => ({
    model: {
      change: async (change) => {
        let outcome = await r.model.change(change, (await r.model.load()).generation);
        while (outcome === "stale") outcome = await r.model.change(change, (await r.model.load()).generation);
        return outcome;
      },
    },
  })),

  brokenMemory(
    "accepts a message number accepted by another process",
    "assigns and accepts every channel number once across processes",
    () => {
      const accepted = new Set<string>();
      return (r) => ({
        channels: {
          acceptIn: async (session, number): Promise<MessageVerdict> => {
            const verdict = await r.channels.acceptIn(session, number);
            if (verdict === "gone" || accepted.has(`${session} ${number}`)) return verdict;
            accepted.add(`${session} ${number}`);
            return "fresh";
          },
        },
      });
    },
  ),

  brokenMemory(
    "assigns channel numbers assigned by another process",
    "assigns and accepts every channel number once across processes",
    () => {
      const next = new Map<string, bigint>();
      return () => ({
        channels: {
          reserveOut: async (session, count) => {
            const first = next.get(session) ?? 0n;
            next.set(session, first + BigInt(count));
            return first;
          },
        },
      });
    },
  ),

  brokenMemory(
    "remembers only its own log-in blocks",
    "accepts the blocks of a message from one client across processes",
    () => {
      const own = privately();
      return () => ({
        channels: { registerBlocks: (message, limits) => own.channels.registerBlocks(message, limits) },
      });
    },
  ),

  brokenMemory("counts only its own record versions", "writes each version of a record once across processes", () => {
    let known: number | undefined;
    return (r) => ({
      records: {
        put: async (kind, id, value, options = {}) => {
          if (typeof options.ifVersion !== "number" || (known ??= options.ifVersion) !== options.ifVersion)
            return r.records.put(kind, id, value, options);
          known = 0;
          return r.records.put(kind, id, value);
        },
      },
    });
  }),

  brokenMemory(
    "removes the last administrator after a removal by another process",
    "keeps one administrator when two processes remove each other's account",
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const administrators = (await r.accounts.list("database", null, 1_000)).filter(
            ({ administrator, disabled }) => administrator && !disabled,
          );
          if (!administrators.some(({ userId }) => !userIds.includes(userId))) return "lastAdministrator";
          // Skips the check in the transaction.
          await r.accounts.change(userIds[0] ?? "", { disabled: true });
          return userIds.length;
        },
      },
    }),
  ),

  broken("gives up after the first serialization failure", losing, { runs: 1 }),

  broken("does not give up after the third serialization failure", losing, { runs: 10 }),

  broken("continues after a serialization failure in a nested transaction", losingPart, {
    survivesLosses: true,
  }),

  broken("reports a refusal of the database as unexpected", refusing, {
    refusal: () => new ServiceError(799),
  }),

  broken("reports a refusal of the database as a time-out", refusing, {
    refusal: () => new ServiceError(706),
  }),

  broken("rolls back no nested transactions", "shows other processes the committed nested transactions only", {
    storage: (process) => ({ transaction: (work) => process.transaction((r) => work(r, unguarded)) }),
  }),

  broken("uses its own clock", "shares one clock across processes", {
    storage: (process) => {
      const behind = (clocks += 1) * 60_000;
      return { now: async () => (await process.now()) - behind };
    },
  }),

  broken("closes the database of all processes", "keeps working when another process closes", {
    storage: (process, storage) => ({
      close: async () => {
        await process.close();
        await storage.close();
      },
    }),
  }),

  broken(
    "returns the migrations applied by another process",
    "applies every migration once when processes migrate concurrently",
    {
      storage: (process) => {
        let migrated = false;
        return {
          migrate: async (classes) => {
            const { applied } = await process.migrate(classes);
            const first = !migrated;
            migrated = true;
            return { applied: first ? ["built-in-classes"] : applied };
          },
        };
      },
    },
  ),

  broken("requires its own migration of a migrated database", "uses a database that another process has migrated", {
    storage: (process) => {
      let migrated = false;
      return {
        migrate: (classes) => {
          migrated = true;
          return process.migrate(classes);
        },
        health: () => (migrated ? process.health() : Promise.reject(new ServiceError(705))),
      };
    },
  }),

  broken("builds indexes that another process is building", "aligns indexes in one process at a time, completely", {
    storage: (process) => ({
      alignIndexes: async (wanted) => {
        await process.alignIndexes(wanted);
        return { built: wanted, removed: 0 };
      },
    }),
  }),
];
