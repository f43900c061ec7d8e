import { AsyncLocalStorage } from "node:async_hooks";
import type { Kernel, KernelTransaction } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, occurrences, persistently } from "../../fixtures/concurrently.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import {
  kernelChecks,
  type KernelSubject,
  numberAt,
  numberRow,
  put,
  rowOf,
  rowsIn,
  rowTable,
  startingWith,
} from "./kernel-checks.ts";

const table = rowTable.name;

/** The processes of a race, and the one with the index. */
interface Racers {
  readonly kernel: Kernel;
  readonly of: (index: number) => Kernel;
}

type Race = (racers: Racers) => Promise<unknown>;

const empty: { readonly [what: string]: (transaction: KernelTransaction) => Promise<boolean> } = {
  "an unknown key": async (transaction) => (await transaction.get(table, ["the key"])).length === 0,
  "an empty range of keys": async (transaction) =>
    (await transaction.range(table, startingWith("the"), 10)).length === 0,
  "an empty range of places": async (transaction) =>
    (await transaction.range(table, startingWith("place", "first"), 1, true)).length === 0,
  "a count of zero keys": async (transaction) => (await transaction.count(table, startingWith("the"), 1)) === 0,
  "a count of zero places": async (transaction) =>
    (await transaction.count(table, startingWith("place", "first"), 1)) === 0,
};

const races: { readonly [name: string]: Race } = {
  ...Object.fromEntries(
    Object.entries(empty).map(([what, isEmpty]): [string, Race] => [
      `lets one of eight that each find ${what} fill it`,
      async ({ kernel, of }) => {
        for (let round = 0; round < 4; round += 1) {
          const won = await concurrently(8, (index) =>
            persistently(of(index), async (transaction) => {
              if (!(await isEmpty(transaction))) return false;
              const key = what === "an unknown key" ? "the key" : `the ${index}`;
              await transaction.put(table, [rowOf(key, { index }, `place ${index}`)]);
              return true;
            }),
          );
          equal(occurrences(true, won), 1, "number of winners");
          const rows = await rowsIn(kernel);
          equal(
            rows.map(({ value }) => value),
            [{ index: won.indexOf(true) }],
            "the rows",
          );
          await kernel.transaction((transaction) =>
            transaction.delete(
              table,
              rows.map(({ key }) => key),
            ),
          );
        }
      },
    ]),
  ),

  "keeps a limit of five, counted by 24 concurrent transactions": async ({ kernel, of }) => {
    for (const index of [undefined, "first"]) {
      const beginning = index ?? "key";
      const stored = await concurrently(24, (number) =>
        persistently(of(number), async (transaction) => {
          if ((await transaction.count(table, startingWith(beginning, index), 5)) >= 5) return false;
          await transaction.put(table, [rowOf(`${beginning} ${number}`, {}, `${beginning} ${number}`)]);
          return true;
        }),
      );
      equal(occurrences(true, stored), 5, "number of transactions that stored a row");
      equal((await rowsIn(kernel, startingWith(beginning, index))).length, 5, "number of rows");
    }
  },

  "loses no update of 20 concurrent ones": async ({ kernel, of }) => {
    await put(kernel, [numberRow("a", 0, "0")]);
    await concurrently(20, (index) =>
      persistently(of(index), async (transaction) => {
        const number = (await numberAt(transaction, "a")) + 1;
        await transaction.put(table, [numberRow("a", number, `${number}`), numberRow(`by ${index}`, number)]);
      }),
    );
    equal(await kernel.read((reader) => numberAt(reader, "a")), 20, "the number");
    equal(
      (await rowsIn(kernel, { index: "first" })).map(({ place }) => place),
      ["20"],
      "the places",
    );
    const numbers = (await rowsIn(kernel, startingWith("by "))).map(
      ({ value }) => (value as { number: number }).number,
    );
    equal(new Set(numbers).size, 20, "number of different numbers");
  },

  "keeps the sum of two rows that concurrent transactions change": async ({ kernel, of }) => {
    await put(kernel, [numberRow("a", 50), numberRow("b", 50)]);
    const sums: number[] = [];
    await concurrently(16, async (index) => {
      const [from, to] = index % 2 === 0 ? ["a", "b"] : ["b", "a"];
      await persistently(of(index), async (transaction) => {
        const [less, more] = [await numberAt(transaction, from as string), await numberAt(transaction, to as string)];
        await transaction.put(table, [numberRow(from as string, less - index)]);
        await transaction.put(table, [numberRow(to as string, more + index)]);
      });
      sums.push(
        await of(index + 1).read(async (reader) => (await numberAt(reader, "a")) + (await numberAt(reader, "b"))),
      );
    });
    equal([...new Set(sums)], [100], "the sums that reads have seen");
    equal(await kernel.read((reader) => numberAt(reader, "a")), 58, "the number of the first row");
  },

  "lets at most one of two that look at both rows change its own": async ({ kernel, of }) => {
    for (let round = 0; round < 10; round += 1) {
      await put(kernel, [numberRow("a", 1), numberRow("b", 1)]);
      // Each may leave, if the other one stays.
      const left = await concurrently(2, (index) =>
        persistently(of(index), async (transaction) => {
          if ((await numberAt(transaction, "a")) + (await numberAt(transaction, "b")) < 2) return false;
          await transaction.put(table, [numberRow(index === 0 ? "a" : "b", 0)]);
          return true;
        }),
      );
      equal(occurrences(true, left), 1, "number of transactions that changed their row");
    }
  },

  "runs a transaction that loses again, at most 20 times, and keeps all of its writes or none": async ({
    kernel,
    of,
  }) => {
    const outside = AsyncLocalStorage.snapshot();
    for (const others of [1, 3, 40]) {
      const name = `after ${others}`;
      const rivals: Promise<void>[] = [];
      let runs = 0;
      const running = kernel.transaction(async (transaction) => {
        runs += 1;
        const before = await numberAt(transaction, "a");
        if (runs <= others) {
          // A kernel that excludes transactions runs the rival behind this one.
          const rival = outside(() =>
            persistently(of(1), async (theirs) =>
              theirs.put(table, [numberRow("a", (await numberAt(theirs, "a")) + 1)]),
            ),
          );
          rivals.push(rival);
          const state = { over: false };
          void rival.finally(() => (state.over = true)).catch(() => {});
          for (let call = 0; call < 50 && !state.over; call += 1) await transaction.count(table, {}, 1);
        }
        await transaction.put(table, [rowOf(`${name} once`, { runs })]);
        await transaction.put(table, [numberRow("a", before + 100), rowOf(`${name} twice`, { runs })]);
      });
      const code = await codeOf(running);
      await Promise.all(rivals);
      isTrue(code === 0 || code === 706, `A transaction that loses must succeed or fail with 706, not with ${code}`);
      isTrue(runs <= 20, `The work must run at most 20 times, not ${runs} times`);
      if (code === 706) isTrue(others > 3, `The work must not fail after ${others} conflicts`);
      const values = (await rowsIn(kernel, startingWith(name))).map(({ value }) => value);
      equal(values, code === 0 ? [{ runs }, { runs }] : [], "the rows of the transaction");
      const number = await kernel.read((reader) => numberAt(reader, "a"));
      equal(number, rivals.length + (code === 0 ? 100 : 0), "the number changed by all of them");
      await kernel.transaction((transaction) => transaction.delete(table, ["a"]));
    }
  },
};

/** The races, each between transactions of these processes. */
export function raceChecks(
  suffix: string,
  racersOf: (subject: KernelSubject) => Promise<readonly [Kernel, ...Kernel[]]>,
  options?: Parameters<typeof kernelChecks>[1],
): readonly Check[] {
  const runs = Object.entries(races).map(([name, race]): [string, (subject: KernelSubject) => Promise<unknown>] => [
    `${name}${suffix}`,
    async (subject) => {
      const racers = await racersOf(subject);
      await race({ kernel: racers[0], of: (index) => racers[index % racers.length] as Kernel });
    },
  ]);
  return kernelChecks(Object.fromEntries(runs), options);
}

export const kernelRaceChecks: readonly Check[] = raceChecks("", async ({ kernel }) => [kernel]);
