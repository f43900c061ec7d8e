import type { Kernel, TableDeclaration } from "@sallyport/storage";
import { ServiceError } from "@sallyport/storage";
import type { BrokenKernel } from "./broken-kernels.ts";
import { type Isolation, versionedKernel } from "./versioned-kernel.ts";

/** Kernels of several processes. `faultOf` replaces methods of each process; the first has the number 0. */
function broken(
  fault: string,
  caughtBy: string,
  faultOf: (kernel: Kernel, number: number, first: Kernel) => Partial<Kernel>,
): BrokenKernel {
  const create: BrokenKernel["create"] = (options) => {
    const database = versionedKernel(options);
    let processes = 0;
    const faulty = (kernel: Kernel): Kernel => {
      const replaced = faultOf(kernel, processes, database.kernel);
      processes += 1;
      return {
        version: kernel.version,
        capabilities: kernel.capabilities,
        read: (work) => kernel.read(work),
        transaction: (work) => kernel.transaction(work),
        migrate: (tables) => kernel.migrate(tables),
        health: () => kernel.health(),
        close: () => kernel.close(),
        ...replaced,
      };
    };
    const { kernel, another, ...more } = database;
    return { ...more, kernel: faulty(kernel), another: async () => faulty((await another?.()) as Kernel) };
  };
  return { fault, caughtBy: [caughtBy], create };
}

const limit = "keeps a limit of five, counted by 24 concurrent transactions";
const sum = "keeps the sum of two rows that concurrent transactions change";
const oneOfTwo = "lets at most one of two that look at both rows change its own";
const updates = "loses no update of 20 concurrent ones";
const repeated = "runs a transaction that loses again, at most 20 times, and keeps all of its writes or none";
const filled = (found: string) => `lets one of eight that each find ${found} fill it`;
const emptyRanges = [
  "a count of zero keys",
  "a count of zero places",
  "an empty range of keys",
  "an empty range of places",
];

/** A level of isolation that is too weak, between processes as in one that is reopened. */
function weak(
  isolation: Isolation,
  { races, anomalies, others = [] }: Readonly<Record<"races" | "anomalies", readonly string[]>> & { others?: string[] },
): BrokenKernel {
  return {
    fault: `isolates processes by: ${isolation}`,
    caughtBy: [
      ...races.flatMap((race) => [`${race}, across processes`, `${race}, after it is reopened`]),
      ...anomalies.map((anomaly) => `shows no ${anomaly} across processes, in any interleaving`),
      ...others,
    ],
    create: ({ clockOffset }) => versionedKernel({ clockOffset, isolation }),
  };
}

/** Faults that show when several processes use the rows of a database, or the next one. */
export const brokenKernelProcesses: readonly BrokenKernel[] = [
  weak("snapshot", {
    races: [limit, oneOfTwo, ...emptyRanges.map(filled)],
    anomalies: [
      "anomalies of a read-only transaction",
      "cycles of three transactions",
      "skewed deletions",
      "skewed inserts below a counted limit",
      "skewed inserts into a range of an index",
      "skewed writes",
      "skewed writes into two ranges",
    ],
  }),

  weak("read committed", {
    races: [sum, updates, repeated, filled("an unknown key")],
    anomalies: [
      "lost deletions",
      "lost updates",
      "non-repeatable reads",
      "phantoms in a range",
      "phantoms in an index",
    ],
  }),

  weak("none", {
    races: [],
    anomalies: ["dirty reads", "dirty writes", "reads of an intermediate state"],
    others: ["hides open transactions from other processes, and commits beside their reads"],
  }),

  {
    fault: "holds back no watermark of other processes",
    caughtBy: ["holds the watermark of other processes below the stamp of an open transaction"],
    create: ({ clockOffset }) => versionedKernel({ clockOffset, holdsWatermark: false }),
  },

  broken("closes the database of all processes", "goes on when another process closes", (kernel, _number, first) => ({
    close: async () => {
      await kernel.close();
      await first.close();
    },
  })),

  broken(
    "reads what it has seen before",
    "shows a committed transaction to every later read of another process",
    (kernel) => {
      const seen = new Map<string, unknown>();
      return {
        read: (work) =>
          kernel.read((reader) =>
            work({
              get: async (table, keys) => {
                const key = JSON.stringify([table, keys]);
                if (!seen.has(key)) seen.set(key, await reader.get(table, keys));
                return seen.get(key) as Awaited<ReturnType<typeof reader.get>>;
              },
              range: (...args) => reader.range(...args),
              count: (...args) => reader.count(...args),
              now: () => reader.now(),
              watermark: () => reader.watermark(),
            }),
          ),
      };
    },
  ),

  broken("counts stamps in its process", "shares one clock, and one order of stamps", (kernel) => {
    let last = 0;
    return {
      transaction: (work) =>
        kernel.transaction((transaction) => work({ ...transaction, stamp: async () => (last += 1) })),
    };
  }),

  broken("uses its own clock", "shares one clock, and one order of stamps", (kernel, number) => ({
    read: (work) =>
      kernel.read((reader) =>
        work({
          get: (...args) => reader.get(...args),
          range: (...args) => reader.range(...args),
          count: (...args) => reader.count(...args),
          now: async () => (await reader.now()) + number * 7_200_000,
          watermark: () => reader.watermark(),
        }),
      ),
  })),

  broken("migrates once, whoever asks", "migrates concurrently in several processes", (kernel, number) => {
    let migrations = 0;
    return {
      migrate: async (tables) => {
        migrations += 1;
        if (number > 0 || migrations > 1) throw new ServiceError(705, { detail: "Another process migrates." });
        await kernel.migrate(tables);
      },
    };
  }),

  broken(
    "knows only the tables that it has migrated",
    "works on tables that another process has migrated, and adds to them",
    (kernel) => {
      let own: readonly TableDeclaration[] = [];
      return {
        transaction: (work) => {
          if (own.length === 0) throw new ServiceError(705);
          return kernel.transaction(work);
        },
        migrate: async (tables) => {
          own = tables;
          await kernel.migrate(tables);
        },
      };
    },
  ),
];
