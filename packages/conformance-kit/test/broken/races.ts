import type { Repositories, Storage } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, type Create } from "./broken-adapter.ts";

/**
 * Runs calls that start together on the same state, as adapters do that pause between a read and a write. Each answers as if
 * it were alone. Only the writes of the last one stay.
 */
function together(storage: MemoryStorage): <T>(call: () => Promise<T>) => Promise<T> {
  let waiting: (() => Promise<void>)[] = [];
  const run = async () => {
    const calls = waiting;
    waiting = [];
    const restore = calls.length > 1 ? await storage.snapshot() : async () => {};
    for (const call of calls) {
      await restore();
      await call();
    }
  };
  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push(() => call().then(resolve, reject));
      if (waiting.length === 1) setImmediate(() => void run());
    });
}

/** A memory storage whose calls of one method, outside of transactions, race. */
function racing(method: string): Create {
  return (options) => {
    const storage = new MemoryStorage(options);
    const race = together(storage);
    const [owner = "", name = ""] = method.split(".");
    const repositories = Object.fromEntries(
      Object.entries(storage.repositories).map(([key, repository]) => {
        if (key !== owner) return [key, repository];
        const call = Reflect.get(repository as object, name) as (...args: unknown[]) => Promise<unknown>;
        const late = (...args: unknown[]) => race(() => Reflect.apply(call, repository, args));
        return [key, Object.assign(Object.create(repository as object) as object, { [name]: late })];
      }),
    );
    return brokenStorage(storage, { repositories: repositories as unknown as Repositories });
  };
}

/** A memory storage whose transactions, or batches, race. */
function racingWork(name: "transaction" | "batch"): Create {
  return (options) => {
    const storage = new MemoryStorage(options);
    const race = together(storage);
    return brokenStorage(storage, {
      [name]: (work: Parameters<Storage["transaction"]>[0]) => race(() => storage[name](work as never)),
    });
  };
}

/** The methods of which a race loses a write or an answer, with the checks that notice it. */
const caughtBy: { readonly [method: string]: readonly string[] } = {
  "admission.admitCallback": ["admits one of several concurrent callbacks with the same state"],
  "accounts.create": [
    "creates one account when concurrent calls use the same name",
    "creates one account when concurrent calls use the same name (custom accounts)",
  ],
  "accounts.change": [
    "gives a name to one of several concurrent renames",
    "gives a name to one of several concurrent renames (custom accounts)",
  ],
  "accounts.setSecret": [
    "stores one secret when concurrent calls replace the same version",
    "stores one secret when concurrent calls replace the same version (custom accounts)",
    "stores one password hash when concurrent calls replace the same one",
    "stores one password hash when concurrent calls replace the same one (custom accounts)",
  ],
  "accounts.remove": [
    "removes accounts and frees their names",
    "removes accounts and frees their names (custom accounts)",
  ],
  "appKeys.create": ["gives each app key a unique ID", "creates one app key when concurrent calls use the same name"],
  "audit.append": [
    "keeps every concurrently appended event",
    "counts every concurrent attempt while tallies are settled",
  ],
  "channels.reserveOut": ["reserves 10,000 numbers for four concurrent callers without duplicates"],
  "channels.acceptIn": [
    "accepts a concurrently repeated message number once",
    "accepts all of many concurrent message numbers",
  ],
  "channels.registerBlocks": [
    "accepts the blocks from one of several concurrent clients",
    "counts every use of a block in concurrent registrations",
    "accepts messages with shared blocks only as a whole, from one client",
  ],
  "locks.take": [
    "gives a lock to one of several concurrent sessions",
    "enforces the lock limit of a session across concurrent calls",
    "enforces the lock limit of a session across processes",
  ],
  "model.change": ["accepts one of several concurrent changes of the same generation"],
  "objects.insert": [
    "assigns unique IDs and UUIDs in concurrent calls",
    "creates one object when concurrent calls use the same UUID",
  ],
  "objects.update": [
    "accepts one of several concurrent updates of the same version",
    "keeps all concurrent updates of different attributes",
    "updates objects that link to each other concurrently without a deadlock",
  ],
  "records.put": [
    "stores one of several concurrent puts on condition that none exists",
    "stores one of several concurrent puts over the same version",
  ],
  "records.putWithin": [
    "enforces a quota exactly across concurrent puts",
    "enforces a quota exactly for many concurrent owners",
    "stores one of several concurrent puts with the same ID within a quota",
  ],
  "records.take": ["gives a record to one of several concurrent takes"],
  "records.remove": ["removes each record in one of several concurrent calls"],
  "records.claim": ["claims each record once across concurrent claims"],
  "sessions.open": [
    "opens one of several concurrent sessions at the last free slot",
    "fills all free slots exactly across concurrent calls",
    "opens one of several concurrent sessions at the last free slot of a user",
    "enforces the limits of several users and of the database in concurrent calls",
    "enforces the limit exactly while sessions are ended concurrently",
    "enforces the limit exactly after all kinds of session changes",
    "enforces the session limit of a device exactly across concurrent calls",
    "replaces sessions of a device at a full limit during concurrent openings by others",
    "fills the seats of each kind exactly across concurrent calls",
    "fills many seats exactly across concurrent calls",
    "fills two app names exactly across concurrent calls for both",
    "fills the seats exactly while sessions are ended concurrently",
    "fills the seats exactly across concurrent openings and reservations",
    "keeps the seats exact while they are reserved, released and ended concurrently",
  ],
  "sessions.changeAppNames": ["releases each seat in one of several concurrent calls"],
  "sessions.end": ["ends each session in one of several concurrent calls"],
  "sessions.sweep": ["sweeps each session in one of several concurrent calls"],
  "settings.raise": ["increases the settings generation by one for each of several concurrent calls"],
  "throttle.attempt": [
    "accepts one of several concurrent attempts after a delay",
    "accepts one of several concurrent attempts with a shared key",
  ],
  "throttle.fail": ["counts every concurrent failure"],
  "throttle.pass": ["keeps a concurrently granted exemption and restores the group limit with the next grant"],
  "audit.settle": ["converts each tally in one of several concurrent calls"],
  "records.settle": ["settles a claim in one of several concurrent calls"],
  transaction: ["enforces a quota exactly across concurrent deletions", "loses no concurrent increment of a counter"],
  batch: ["enforces a limit exactly across concurrent batches and rolls back refused ones"],
};

/** Faults in calls that start together. */
export const brokenRaces: readonly BrokenAdapter[] = Object.entries(caughtBy).map(([method, names]) => ({
  fault: `runs calls of ${method} on the same state`,
  caughtBy: names,
  create: method === "transaction" || method === "batch" ? racingWork(method) : racing(method),
}));
