import { type Kernel, type KernelReader, type KernelTransaction, ServiceError } from "@sallyport/storage";
import { equal, isTrue, rethrows } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, persistently, signal } from "../../fixtures/concurrently.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import {
  kernelChecks,
  keysIn,
  numberAt,
  numberRow,
  otherTable,
  put,
  rowOf,
  rowsIn,
  rowTable,
  startingWith,
} from "./kernel-checks.ts";

const table = rowTable.name;

/** Runs others while a transaction with these writes is open. Then it commits, or rolls back. */
export async function whileTransaction<T>(
  kernel: Kernel,
  write: (transaction: KernelTransaction) => Promise<unknown>,
  others: () => Promise<T>,
  end: "committed" | "rolled back" = "committed",
): Promise<T> {
  const [written, over] = [signal(), signal()];
  const undone = new Error("rolled back");
  const running = kernel.transaction(async (transaction) => {
    await write(transaction);
    written.fire();
    await over.fired;
    if (end === "rolled back") throw undone;
  });
  const ended = running.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  await Promise.race([written.fired, ended]);
  try {
    return await others();
  } finally {
    over.fire();
    await ended;
  }
}

/** Runs others while a read has read something. Returns what the read finds behind them. */
export async function whileReading<T>(
  kernel: Kernel,
  look: (reader: Parameters<Parameters<Kernel["read"]>[0]>[0]) => Promise<T>,
  others: () => Promise<unknown>,
): Promise<{ readonly before: T; readonly after: T }> {
  const [begun, over] = [signal(), signal()];
  const reading = kernel.read(async (reader) => {
    const before = await look(reader);
    begun.fire();
    await over.fired;
    return { before, after: await look(reader) };
  });
  await Promise.race([begun.fired, reading]);
  try {
    await others();
  } finally {
    over.fire();
  }
  return reading;
}

export const kernelTransactionChecks: readonly Check[] = kernelChecks({
  "returns the result of the work of a read and of a transaction": async ({ kernel }) => {
    equal(await kernel.read(async () => ({ read: true })), { read: true }, "the result of a read");
    equal(await kernel.transaction(async () => "done"), "done", "the result of a transaction without calls");
    equal(
      await kernel.transaction(async (transaction) => {
        await transaction.put(table, [rowOf("a")]);
        return transaction.count(table, {}, 10);
      }),
      1,
      "the result of a transaction",
    );
  },

  "shows a transaction its own writes": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 2, "2"), numberRow("c", 3, "3")]);
    await kernel.transaction(async (transaction) => {
      const look = async () => ({
        found: (await transaction.get(table, ["a", "b", "c", "d"])).map(({ key }) => key).toSorted(),
        numbers: [await numberAt(transaction, "a"), await numberAt(transaction, "d")],
        keys: (await transaction.range(table, {}, 10)).map(({ key }) => key),
        last: (await transaction.range(table, {}, 1, true)).map(({ key }) => key),
        places: (await transaction.range(table, { index: "first" }, 10)).map(({ place }) => place),
        counts: [
          await transaction.count(table, {}, 10),
          await transaction.count(table, { index: "first", from: "2" }, 10),
        ],
      });
      await transaction.put(table, [numberRow("d", 4, "0"), numberRow("a", 5, "9", "8")]);
      await transaction.delete(table, ["b"]);
      const first = {
        found: ["a", "c", "d"],
        numbers: [5, 4],
        keys: ["a", "c", "d"],
        last: ["d"],
        places: ["0", "3", "8", "9"],
        counts: [3, 3],
      };
      equal(await look(), first, "the state after the first writes");
      await transaction.delete(table, ["d", "a"]);
      await transaction.put(table, [numberRow("d", 6)]);
      const second = {
        found: ["c", "d"],
        numbers: [0, 6],
        keys: ["c", "d"],
        last: ["d"],
        places: ["3"],
        counts: [2, 1],
      };
      equal(await look(), second, "the state after further writes");
    });
    equal(await keysIn(kernel), ["c", "d"], "the keys after the commit");
    equal(await keysIn(kernel, { index: "first" }), ["c"], "the keys in the index after the commit");
  },

  "hides the writes of an open transaction from reads": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 1, "2")]);
    const write = async (transaction: KernelTransaction) => {
      await transaction.put(table, [numberRow("a", 2, "3"), numberRow("c", 2, "4")]);
      await transaction.delete(table, ["b"]);
    };
    const look = async () => [await rowsIn(kernel), await rowsIn(kernel, { index: "first" })];
    const before = await look();
    equal(await whileTransaction(kernel, write, look), before, "the rows, seen by a read beside the transaction");
    equal(await keysIn(kernel), ["a", "c"], "the keys after the commit");
    equal(await keysIn(kernel, { index: "first" }), ["a", "c"], "the keys in the index after the commit");
  },

  "shows a committed transaction to every later read": async ({ kernel }) => {
    for (let round = 1; round <= 20; round += 1) {
      await kernel.transaction((transaction) => transaction.put(table, [numberRow("a", round, `${round}`)]));
      const found = await concurrently(3, () => kernel.read((reader) => numberAt(reader, "a")));
      equal(found, [round, round, round], "the numbers seen by later reads");
      equal(
        (await rowsIn(kernel, { index: "first" })).map(({ place }) => place),
        [`${round}`],
        "the places",
      );
    }
  },

  "shows a transaction all that others have committed before": async ({ kernel }) => {
    for (let round = 1; round <= 20; round += 1) {
      const seen = await kernel.transaction(async (transaction) => {
        const number = await numberAt(transaction, "a");
        await transaction.put(table, [numberRow("a", round)]);
        return number;
      });
      equal(seen, round - 1, "the number seen by the next transaction");
    }
  },

  "rolls back all writes of work that throws, and rethrows its error unchanged": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 1, "2")]);
    const look = async () => [
      await rowsIn(kernel),
      await rowsIn(kernel, { index: "first" }),
      await keysIn(kernel, {}, otherTable.name),
    ];
    const before = await look();
    const errors = [new Error("mine"), new ServiceError(302, { retryAfter: 7 }), new TypeError("mine, too")];
    for (const error of errors) {
      const work = async (transaction: KernelTransaction) => {
        await transaction.put(table, [numberRow("a", 2, "3"), numberRow("c", 2, "4", "2b")]);
        await transaction.put(otherTable.name, [numberRow("a", 2, "3")]);
        await transaction.delete(table, ["b"]);
        throw error;
      };
      await rethrows(error, () => kernel.transaction(work), "a transaction");
      equal(await look(), before, "the rows, the places, and the keys of the other table");
    }
    const atOnce = new RangeError("at once");
    const work = () => {
      throw atOnce;
    };
    await rethrows(atOnce, () => kernel.transaction(work), "a transaction whose work throws at once");
    // The places are free again.
    await put(kernel, [numberRow("d", 3, "3", "4")]);
    equal(await keysIn(kernel, { index: "first" }), ["a", "b", "d", "d"], "the keys in the index");
  },

  "rethrows the error of a read unchanged": async ({ kernel }) => {
    for (const error of [new Error("mine"), new ServiceError(302, { retryAfter: 7 })]) {
      const work = async (reader: KernelReader) => {
        await numberAt(reader, "a");
        throw error;
      };
      await rethrows(error, () => kernel.read(work), "a read");
    }
  },

  "goes on after many rolled-back transactions and failed reads": async ({ kernel }) => {
    for (let round = 0; round < 40; round += 1) {
      await errorOf(() =>
        kernel.transaction(async (transaction) => {
          await transaction.put(table, [numberRow("a", 1)]);
          throw new Error("undone");
        }),
      );
      await errorOf(() => kernel.read(() => Promise.reject(new Error("undone"))));
    }
    await put(kernel, [numberRow("b", 1)]);
    equal(await keysIn(kernel), ["b"], "the keys");
  },

  "reads one committed state, from its first call to its end": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1, "1"), numberRow("b", 1, "2")]);
    const { before, after } = await whileReading(
      kernel,
      async (reader) => ({
        numbers: [await numberAt(reader, "a"), await numberAt(reader, "c")],
        keys: (await reader.range(table, {}, 10)).map(({ key }) => key),
        places: (await reader.range(table, { index: "first" }, 10)).map(({ place }) => place),
        counts: [await reader.count(table, {}, 10), await reader.count(table, { index: "first" }, 10)],
        others: await reader.count(otherTable.name, {}, 10),
        watermark: await reader.watermark(),
      }),
      async () => {
        for (let round = 2; round < 5; round += 1)
          await kernel.transaction(async (transaction) => {
            await transaction.put(table, [numberRow("a", round, `${round}0`), numberRow("c", round)]);
            await transaction.put(otherTable.name, [numberRow("c", round)]);
            await transaction.delete(table, ["b"]);
          });
      },
    );
    equal(after, before, "the state at the end of the read, compared with that at its begin");
    equal(
      [before.numbers, before.keys, before.counts],
      [
        [1, 0],
        ["a", "b"],
        [2, 2],
      ],
      "the state at the begin",
    );
    equal(await keysIn(kernel), ["a", "c"], "the keys after the read");
  },

  "reads one committed state beside concurrent writers": async ({ kernel, reads }) => {
    await put(
      kernel,
      ["a", "b", "c"].map((key) => numberRow(key, 0, key)),
    );
    const state = { over: false };
    const writing = (async () => {
      for (let number = 1; !state.over; number += 1)
        await persistently(kernel, async (transaction) => {
          await transaction.put(table, [numberRow("a", number, `${number}a`)]);
          await transaction.put(table, [numberRow("b", number, `${number}b`)]);
          await transaction.put(table, [numberRow("c", number, `${number}c`)]);
        });
    })();
    try {
      for (let read = 0; read < reads; read += 1) {
        const seen = await kernel.read(async (reader) => {
          const one = await numberAt(reader, "a");
          const all = (await reader.range(table, {}, 10)).map(({ value }) => (value as { number: number }).number);
          const placed = await reader.count(table, startingWith(`${one}`, "first"), 10);
          return [...all, await numberAt(reader, "c"), placed >= (one === 0 ? 0 : 3) ? one : `${placed} places`];
        });
        equal(new Set(seen).size, 1, `number of states in one read, which saw ${seen.join(", ")}`);
      }
    } finally {
      state.over = true;
      await writing;
    }
  },

  "reads while a transaction is open, and commits while a read is open": async ({ kernel }) => {
    await put(kernel, [numberRow("a", 1)]);
    const write = (transaction: KernelTransaction) => transaction.put(table, [numberRow("a", 2), numberRow("b", 2)]);
    const read = () => kernel.read(async (reader) => [await numberAt(reader, "a"), await reader.count(table, {}, 10)]);
    equal(await whileTransaction(kernel, write, read), [1, 1], "the state read beside an open transaction");
    const { after } = await whileReading(
      kernel,
      (reader) => numberAt(reader, "a"),
      async () => {
        await put(kernel, [numberRow("a", 3)]);
        equal(await keysIn(kernel), ["a", "b"], "the keys seen by another read beside the open one");
      },
    );
    equal(after, 2, "the number seen by the open read");
    equal(await kernel.read((reader) => numberAt(reader, "a")), 3, "the number after the read");
  },

  "moves its clock with the offset, also inside a read and a transaction": async ({ kernel, advance }) => {
    const hour = 3_600_000;
    const moved = async (now: () => Promise<number>, what: string) => {
      const before = await now();
      isTrue(Number.isInteger(before), `The time ${before} must be whole milliseconds`);
      advance(hour);
      const by = (await now()) - before;
      isTrue(by >= hour && by < 2 * hour, `${what} must move by an hour, not by ${by} ms`);
    };
    await moved(() => kernel.read((reader) => reader.now()), "The clock");
    await kernel.transaction((transaction) => moved(() => transaction.now(), "The clock of a transaction"));
    await kernel.read((reader) => moved(() => reader.now(), "The clock of a read"));
  },
});
