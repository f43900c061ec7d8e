import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import { type Admission, type MessageVerdict, objectIdOf, type Repositories, ServiceError } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type Fault, unguarded } from "./broken-adapter.ts";
import { type ProcessFault, SharedDatabase } from "./shared-database.ts";

/** Storages of several processes with one fault, and the checks that have to find it. */
export interface BrokenProcesses {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: AdapterUnderTest["create"];
}

function brokenProcesses(fault: string, caughtBy: string, processFault: ProcessFault): BrokenProcesses {
  return {
    fault,
    caughtBy: [caughtBy],
    create: async (options) => new SharedDatabase(options, processFault).underTest(),
  };
}

/** Processes of which each knows something that the others do not. */
export function brokenMemory(fault: string, caughtBy: string, makeFault: () => Fault): BrokenProcesses {
  return brokenProcesses(fault, caughtBy, { repositories: makeFault });
}

/** Repositories that nobody else has. */
export function privately(): Repositories {
  const storage = new MemoryStorage();
  void storage.migrate();
  return storage.repositories;
}

let clocks = 0;

const switched = "see at once what another one has switched";
const losingPart = "run again what lost in a part of it, whether it minds or not";
const losing = "run again what lost against another, and give up with 706 the third time";

/** Faults that show when a database is used by more than one process. */
export const brokenBatches: readonly BrokenProcesses[] = [
  brokenMemory("counts the sessions that it has opened itself", "keep a limit of sessions exactly, together", () => {
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
    "ends the sessions of a device that it has opened itself",
    "keep the sessions of a device exactly, together",
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

  brokenMemory("counts what it has recycled itself", "keep a quota of the recycle bin exactly, together", () => {
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
    "remembers whom it has admitted",
    "accept no session that another one has ended, from the very next request",
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

  brokenMemory("remembers the maintenance switch", switched, () => {
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

  brokenMemory(
    "counts the failures that it has seen itself",
    "let one attempt through together when a delay is over",
    () => {
      const own = privately();
      return () => ({
        throttle: { attempt: (keys) => own.throttle.attempt(keys), fail: (keys) => own.throttle.fail(keys) },
      });
    },
  ),

  brokenMemory("numbers objects by itself", "give objects ids of their own, together", () => {
    let last = 1_000;
    return (r) => ({
      objects: {
        insert: async (...inserted) =>
          (await r.objects.insert(...inserted)).map((object) => ({ ...object, id: objectIdOf((last += 1)) })),
      },
    });
  }),

  brokenMemory("keeps locks to itself", "change one version of an object once, and lock it once, together", () => {
    const own = new Map<string, string>();
    return (r) => ({
      locks: {
        take: async (id, session) => {
          const holder = own.get(id) ?? session;
          own.set(id, holder);
          return holder === session ? "taken" : "held";
        },
        state: async (id) => (own.has(id) ? { session: own.get(id) ?? "", since: 0 } : r.locks.state(id)),
      },
    });
  }),

  brokenMemory("changes the model that it has read last", "let one change of a model win, together", () => (r) => ({
    model: {
      change: async (change) => {
        let outcome = await r.model.change(change, (await r.model.load()).generation);
        while (outcome === "stale") outcome = await r.model.change(change, (await r.model.load()).generation);
        return outcome;
      },
    },
  })),

  brokenMemory(
    "accepts the number of a message that another one has accepted",
    "give out every number of a channel once, and accept it once, together",
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
    "gives out the numbers of a channel that another one has given out",
    "give out every number of a channel once, and accept it once, together",
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
    "remembers the blocks of the log-ins that it has seen itself",
    "let one client have the blocks of a message, together",
    () => {
      const own = privately();
      return () => ({ channels: { claimBlocks: (claim, limits) => own.channels.claimBlocks(claim, limits) } });
    },
  ),

  brokenMemory("counts the versions that it has seen itself", "write a version of a record once, together", () => {
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
    "removes administrators that another one has removed the others of",
    "leaves an administrator when two processes remove one another's at once",
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const administrators = (await r.accounts.list("database", null, 1_000)).filter(
            ({ administrator, disabled }) => administrator && !disabled,
          );
          if (!administrators.some(({ userId }) => !userIds.includes(userId))) return "lastAdministrator";
          // Nobody looks again.
          await r.accounts.change(userIds[0] ?? "", { disabled: true });
          return userIds.length;
        },
      },
    }),
  ),

  brokenProcesses("gives up when it has lost once", losing, { runs: 1 }),

  brokenProcesses("does not give up when it has lost three times", losing, { runs: 10 }),

  brokenProcesses("goes on when it has lost in a part", losingPart, { survivesLosses: true }),

  brokenProcesses("undoes no parts", "see of a part that is undone nothing, and of the others all", {
    storage: (process) => ({ transaction: (work) => process.transaction((r) => work(r, unguarded)) }),
  }),

  brokenProcesses("has a clock of its own", "share one clock", {
    storage: (process) => {
      const behind = (clocks += 1) * 60_000;
      return { now: async () => (await process.now()) - behind };
    },
  }),

  brokenProcesses("closes the database of all when it is closed", "let one another go on when one is closed", {
    storage: (process, storage) => ({
      close: async () => {
        await process.close();
        await storage.close();
      },
    }),
  }),

  brokenProcesses(
    "names the migrations that another one has applied",
    "migrate one database at once, every migration once",
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

  brokenProcesses("is not migrated until it was at it itself", "can use a database that another one has migrated", {
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

  brokenProcesses(
    "builds the indexes that another one is building",
    "are aligned by one process at a time, and end up whole",
    {
      storage: (process) => ({
        alignIndexes: async (wanted) => {
          await process.alignIndexes(wanted);
          return { built: wanted, removed: 0 };
        },
      }),
    },
  ),
];
