import type { KernelUnderTest } from "@sallyport/conformance-kit";
import type {
  FoundRow,
  Kernel,
  KernelRange,
  KernelReader,
  KernelTransaction,
  Row,
  TableDeclaration,
} from "@sallyport/storage";
import { ServiceError } from "@sallyport/storage";
import { MemoryKernel } from "@sallyport/storage-memory";
import { versionedKernel, type VersionedOptions } from "./versioned-kernel.ts";

interface CreateOptions {
  readonly clockOffset: () => number;
}

/** A kernel with one fault, and the checks that detect it. */
export interface BrokenKernel {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: (options: CreateOptions) => KernelUnderTest;
}

/** The replaced methods of a kernel, of its readers (also of those of transactions), and of its transactions. */
interface Fault {
  readonly kernel?: Partial<Kernel>;
  readonly reader?: (reader: KernelReader) => Partial<KernelReader>;
  readonly transaction?: (transaction: KernelTransaction) => Partial<KernelTransaction>;
}

const methods = ["get", "range", "count", "now", "watermark", "put", "delete", "stamp"] as const;

function replaced<R extends KernelReader>(reader: R, ...faults: readonly object[]): R {
  const own = methods
    .filter((name) => name in reader)
    .map((name) => {
      const method = Reflect.get(reader, name) as (...args: unknown[]) => unknown;
      return [name, (...args: unknown[]) => Reflect.apply(method, reader, args)] as const;
    });
  return Object.assign(Object.fromEntries(own), ...faults) as R;
}

/** The kernel in memory with a fault. */
function broken(
  fault: string,
  caughtBy: string | readonly string[],
  faultOf: (kernel: MemoryKernel) => Fault,
): BrokenKernel {
  const create = (options: CreateOptions): KernelUnderTest => {
    const kernel = new MemoryKernel(options);
    const {
      kernel: ofKernel = {},
      reader: ofReader = () => ({}),
      transaction: ofTransaction = () => ({}),
    } = faultOf(kernel);
    const faulty: Kernel = {
      version: kernel.version,
      capabilities: kernel.capabilities,
      read: (work) => kernel.read((reader) => work(replaced(reader, ofReader(reader)))),
      transaction: (work) =>
        kernel.transaction((transaction) =>
          work(replaced(transaction, ofReader(transaction), ofTransaction(transaction))),
        ),
      migrate: (tables) => kernel.migrate(tables),
      health: () => kernel.health(),
      close: () => kernel.close(),
      ...ofKernel,
    };
    return { kernel: faulty, destroy: () => kernel.close() };
  };
  return { fault, caughtBy: [caughtBy].flat(), create };
}

function brokenVersions(fault: string, caughtBy: readonly string[], options: VersionedOptions): BrokenKernel {
  return { fault, caughtBy, create: ({ clockOffset }) => versionedKernel({ clockOffset, ...options }) };
}

const all = 100_000;

/** A range in the order of UTF-16 code units. */
async function inUnits(reader: KernelReader, table: string, { index, from = "", to }: KernelRange) {
  const found = await reader.range(table, index === undefined ? {} : { index }, all);
  return found
    .filter(({ place }) => place >= from && (to === undefined || place < to))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1));
}

const lasting = "rolls back all writes of work that throws, and rethrows its error unchanged";
const rounds = "reads one committed state, from its first call to its end";

export const brokenKernels: readonly BrokenKernel[] = [
  broken("reads without a snapshot", [rounds, "reads one committed state beside concurrent writers"], (kernel) => ({
    kernel: {
      read: (work) =>
        work({
          get: (...args) => kernel.read((reader) => reader.get(...args)),
          range: (...args) => kernel.read((reader) => reader.range(...args)),
          count: (...args) => kernel.read((reader) => reader.count(...args)),
          now: () => kernel.read((reader) => reader.now()),
          watermark: () => kernel.read((reader) => reader.watermark()),
        }),
    },
  })),

  broken("leaves places behind on put", "replaces a row and all of its places", () => {
    const places = new Map<string, Set<string>>();
    return {
      transaction: (transaction) => ({
        put: (table, rows) => {
          const more = rows.map((row): Row => {
            const known = places.get(row.key) ?? new Set(row.places["first"]);
            for (const place of row.places["first"] ?? []) known.add(place);
            places.set(row.key, known);
            return { ...row, places: { ...row.places, first: [...known] } };
          });
          return transaction.put(table, more);
        },
      }),
    };
  }),

  broken("sorts by UTF-16 code units", "orders keys and places by code points", () => ({
    reader: (reader) => ({
      range: async (table, range, limit, descending) => {
        const found = await inUnits(reader, table, range);
        return (descending === true ? found.toReversed() : found).slice(0, limit);
      },
    }),
  })),

  broken("counts beyond the end", "begins a range with its first key or place, and ends it before its last", () => ({
    reader: (reader) => ({
      count: (table, { to: _to, ...range }, atMost) => reader.count(table, range, atMost),
    }),
  })),

  broken(
    "counts beyond the bound",
    "finds every range of keys and places, in both directions, as a plain sort does",
    () => ({
      reader: (reader) => ({ count: (table, range) => reader.count(table, range, all) }),
    }),
  ),

  broken("takes the first rows, and then reverses them", "orders keys and places by code points", () => ({
    reader: (reader) => ({
      range: async (table, range, limit, descending) => {
        const found: readonly FoundRow[] = await reader.range(table, range, limit);
        return descending === true ? found.toReversed() : found;
      },
    }),
  })),

  broken(
    "finds a row as often as its key is given",
    "finds each wanted row once, and nothing for unknown keys",
    () => ({
      reader: (reader) => ({
        get: async (table, keys) => {
          const found = await reader.get(table, keys);
          return keys.flatMap((key) => found.filter((row) => row.key === key));
        },
      }),
    }),
  ),

  broken("drops members that are null", "keeps null, numbers and texts in values exactly", () => ({
    transaction: (transaction) => ({
      put: (table, rows) =>
        transaction.put(
          table,
          rows.map((row) => ({
            ...row,
            value: Object.fromEntries(Object.entries(row.value as object).filter(([, member]) => member !== null)),
          })),
        ),
    }),
  })),

  broken("cuts long keys", "accepts keys and places of 8,192 bytes, and tells them apart by the last one", () => ({
    transaction: (transaction) => ({
      put: (table, rows) =>
        transaction.put(
          table,
          rows.map((row) => ({ ...row, key: row.key.slice(0, 2_000) })),
        ),
    }),
  })),

  broken("keeps all tables in one", "separates tables and indexes", () => ({
    reader: (reader) => ({ get: (_table, keys) => reader.get("kitRows", keys) }),
    transaction: (transaction) => ({ put: (_table, rows) => transaction.put("kitRows", rows) }),
  })),

  broken("keeps the writes of work that fails", lasting, (kernel) => ({
    kernel: {
      transaction: async (work) => {
        const outcome = await kernel.transaction(async (transaction) => {
          try {
            return { result: await work(transaction) };
          } catch (error) {
            return { error };
          }
        });
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      },
    },
  })),

  broken("keeps the places of rows whose writes are rolled back", lasting, (kernel) => {
    const keep = (rows: readonly Row[]) =>
      kernel.transaction(async (transaction) => {
        for (const { key, value } of await transaction.get(
          "kitRows",
          rows.map((row) => row.key),
        )) {
          const present = await transaction.range("kitRows", { index: "first" }, all);
          const own = present.filter((row) => row.key === key).map(({ place }) => place);
          const more = rows.filter((row) => row.key === key).flatMap(({ places }) => places["first"] ?? []);
          await transaction.put("kitRows", [{ key, value, places: { first: [...own, ...more], second: [] } }]);
        }
      });
    return {
      kernel: {
        transaction: async (work) => {
          const written: Row[] = [];
          try {
            return await kernel.transaction((transaction) =>
              work(
                replaced(transaction, {
                  put: (table: string, rows: readonly Row[]) => {
                    if (table === "kitRows") written.push(...rows);
                    return transaction.put(table, rows);
                  },
                }),
              ),
            );
          } catch (error) {
            await keep(written);
            throw error;
          }
        },
      },
    };
  }),

  broken("wraps the error of the work", lasting, (kernel) => ({
    kernel: {
      transaction: async (work) => {
        try {
          return await kernel.transaction(work);
        } catch (error) {
          throw error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
        }
      },
    },
  })),

  broken(
    "takes the time of the begin",
    "moves its clock with the offset, also inside a read and a transaction",
    (kernel) => ({
      kernel: {
        transaction: (work) =>
          kernel.transaction(async (transaction) => {
            const now = await transaction.now();
            return work(replaced(transaction, { now: async () => now }));
          }),
      },
    }),
  ),

  broken("shows a watermark that is too high", "holds the watermark below the stamp of an open transaction", () => ({
    reader: (reader) => ({ watermark: async () => (await reader.watermark()) + 1 }),
  })),

  broken(
    "shows the watermark of the begin",
    "raises the watermark to the stamp of a transaction that has ended",
    () => {
      const first: number[] = [];
      return {
        reader: (reader) => ({
          watermark: async () => {
            first.push(await reader.watermark());
            return first[0] as number;
          },
        }),
      };
    },
  ),

  broken(
    "gives two transactions one stamp",
    "gives a transaction one stamp, a positive integer, and each committed one its own",
    () => ({
      transaction: (transaction) => ({ stamp: async () => Math.ceil((await transaction.stamp()) / 2) + 1 }),
    }),
  ),

  broken(
    "lets reads wait for transactions",
    "reads while a transaction is open, and commits while a read is open",
    (kernel) => ({
      kernel: { read: (work) => kernel.transaction(work) },
    }),
  ),

  broken("closes at once", "waits for a running transaction and a running read before it closes", (kernel) => ({
    kernel: { close: async () => void kernel.close() },
  })),

  broken(
    "creates all tables again",
    "adds missing tables and indexes, and keeps rows, places and stamps",
    (kernel) => ({
      kernel: {
        migrate: async (tables: readonly TableDeclaration[]) => {
          Object.assign(kernel, { state: { tables: new Map(), stamp: 0 } });
          await kernel.migrate(tables);
        },
      },
    }),
  ),

  brokenVersions(
    "isolates transactions by snapshots only",
    [
      "shows no skewed writes, in any interleaving",
      "shows no skewed inserts below a counted limit, in any interleaving",
      "shows no skewed inserts into a range of an index, in any interleaving",
      "shows no skewed writes into two ranges, in any interleaving",
      "shows no anomalies of a read-only transaction, in any interleaving",
      "shows no cycles of three transactions, in any interleaving",
      "explains every interleaving of random transactions by a serial order",
      "keeps a limit of five, counted by 24 concurrent transactions",
      "lets one of eight that each find an empty range of keys fill it",
    ],
    { isolation: "snapshot" },
  ),

  brokenVersions(
    "isolates transactions by commits only",
    [
      "shows no lost updates, in any interleaving",
      "shows no lost deletions, in any interleaving",
      "shows no non-repeatable reads, in any interleaving",
      "shows no phantoms in a range, in any interleaving",
      "shows no phantoms in an index, in any interleaving",
      "loses no update of 20 concurrent ones",
      "keeps the sum of two rows that concurrent transactions change",
      "runs a transaction that loses again, at most 20 times, and keeps all of its writes or none",
    ],
    { isolation: "read committed" },
  ),

  brokenVersions(
    "holds back no watermark",
    [
      "holds the watermark below the stamp of an open transaction",
      "never lets a row appear at or below a watermark that was read without it",
      "never lets a row of another process appear at or below a watermark",
    ],
    { holdsWatermark: false },
  ),

  brokenVersions(
    "forgets its rows when it is closed",
    ["keeps rows and places after it is reopened", "continues its stamps and its watermark after it is reopened"],
    { isDurable: false },
  ),
];
