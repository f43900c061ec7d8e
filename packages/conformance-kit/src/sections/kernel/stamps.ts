import type { Kernel } from "@sallyport/storage";
import fc from "fast-check";
import { equal, isTrue, rethrows } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, persistently, sequentially } from "../../fixtures/concurrently.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { kernelChecks, numberRow, put, rowTable, turns } from "./kernel-checks.ts";
import { whileTransaction } from "./transactions.ts";

const table = rowTable.name;

export const watermarkOf = (kernel: Kernel): Promise<number> => kernel.read((reader) => reader.watermark());

/** Stores a row with the stamp of its transaction as its number. Returns the stamp. */
export function putStamped(kernel: Kernel, key: string): Promise<number> {
  return persistently(kernel, async (transaction) => {
    const stamp = await transaction.stamp();
    await transaction.put(table, [numberRow(key, stamp)]);
    return stamp;
  });
}

/** The result of one read. */
interface Seen {
  readonly watermark: number;
  /** The stamps of all rows, by key. */
  readonly stamps: ReadonlyMap<string, number>;
}

function look(kernel: Kernel): Promise<Seen> {
  return kernel.read(async (reader) => {
    const rows = await reader.range(table, {}, 10_000);
    const stamps = new Map(rows.map(({ key, value }) => [key, (value as { readonly number: number }).number]));
    return { watermark: await reader.watermark(), stamps };
  });
}

/** A writer of the random schedule: when it does what, in turns of the event loop. */
interface Writer {
  readonly begin: number;
  readonly stampsFirst: boolean;
  readonly pause: number;
  readonly calls: number;
  readonly fails: boolean;
}

const writers = fc.array(
  fc.record({
    begin: fc.nat(30),
    stampsFirst: fc.boolean(),
    pause: fc.nat(12),
    calls: fc.nat(4),
    fails: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
  }),
  { minLength: 24, maxLength: 24 },
);

/** Runs random writers beside readers. Asserts all that stamps and watermarks promise. */
export async function checkStamps(of: (index: number) => Kernel, seed: number): Promise<void> {
  const [plan = []] = fc.sample(writers, { seed, numRuns: 1 });
  const [all, state]: [Seen[], { over: boolean }] = [[], { over: false }];
  const committed: number[] = [];
  const write = async ({ begin, stampsFirst, pause, calls, fails }: Writer, index: number) => {
    await turns(begin);
    const undone = new Error("undone");
    let last = 0;
    const running = persistently(of(index), async (transaction) => {
      const before = Math.max(0, ...all.map(({ watermark }) => watermark));
      if (stampsFirst) last = await transaction.stamp();
      for (let call = 0; call < calls; call += 1) await transaction.get(table, [`${call}`]);
      await turns(pause);
      last = await transaction.stamp();
      isTrue(last > before, `The stamp ${last} must be above the watermark ${before} of an earlier read`);
      await transaction.put(table, [numberRow(`${seed}/${index}`, last)]);
      await turns(pause);
      equal(await transaction.stamp(), last, "another stamp of a transaction");
      if (fails) throw undone;
    });
    if (fails) await rethrows(undone, () => running, "a transaction whose work fails");
    else {
      await running;
      committed.push(last);
    }
  };
  const read = async (index: number) => {
    let before = 0;
    while (!state.over) {
      const seen = await look(of(index));
      isTrue(seen.watermark >= before, `The watermark must not decrease from ${before} to ${seen.watermark}`);
      before = seen.watermark;
      all.push(seen);
      await turns(1);
    }
  };
  const reading = concurrently(2, read);
  try {
    await Promise.all(plan.map(write));
  } finally {
    state.over = true;
    await reading;
  }
  equal(new Set(committed).size, committed.length, "number of different stamps of committed transactions");
  const { stamps } = await look(of(0));
  for (const { watermark, stamps: known } of all)
    for (const [key, stamp] of stamps)
      isTrue(
        stamp > watermark || known.has(key),
        `A row with the stamp ${stamp} appeared after a read that saw the watermark ${watermark} without it`,
      );
}

export const kernelStampChecks: readonly Check[] = kernelChecks({
  "gives a transaction one stamp, a positive integer, and each committed one its own": async ({ kernel }) => {
    const stamps = await concurrently(12, (index) =>
      persistently(kernel, async (transaction) => {
        const stamp = await transaction.stamp();
        await transaction.put(table, [numberRow(`${index}`, stamp)]);
        equal(await transaction.stamp(), stamp, "the stamp after a write");
        return stamp;
      }),
    );
    for (const stamp of stamps)
      isTrue(Number.isSafeInteger(stamp) && stamp > 0, `The stamp ${stamp} must be a positive integer`);
    equal(new Set(stamps).size, stamps.length, "number of different stamps");
    const next = await sequentially(["x", "y", "z"], (key) => putStamped(kernel, key));
    equal(
      next,
      next.toSorted((one, other) => one - other),
      "the stamps of transactions one after another",
    );
  },

  "gives stamps above the watermark of every earlier read": async ({ kernel }) => {
    for (let round = 0; round < 10; round += 1) {
      const before = await watermarkOf(kernel);
      const stamp = await putStamped(kernel, `${round}`);
      isTrue(stamp > before, `The stamp ${stamp} must be above the watermark ${before}`);
    }
  },

  "holds the watermark below the stamp of an open transaction": async ({ kernel }) => {
    for (const end of ["committed", "rolled back"] as const) {
      let stamp = 0;
      const watermark = await whileTransaction(
        kernel,
        async (transaction) => {
          stamp = await transaction.stamp();
          const own = await transaction.watermark();
          isTrue(own < stamp, `The watermark ${own} of the transaction must be below its stamp ${stamp}`);
          await transaction.put(table, [numberRow(end, stamp)]);
        },
        () => watermarkOf(kernel),
        end,
      );
      isTrue(watermark < stamp, `The watermark ${watermark} must be below the stamp ${stamp} of an open transaction`);
    }
  },

  "raises the watermark to the stamp of a transaction that has ended": async ({ kernel }) => {
    let before = await watermarkOf(kernel);
    for (let round = 0; round < 5; round += 1) {
      const stamp = await putStamped(kernel, `${round}`);
      const after = await watermarkOf(kernel);
      isTrue(after >= stamp, `The watermark ${after} must have reached the stamp ${stamp} of a committed transaction`);
      isTrue(after >= before, `The watermark must not decrease from ${before} to ${after}`);
      before = after;
      await errorOf(() =>
        kernel.transaction(async (transaction) => {
          await transaction.put(table, [numberRow("undone", await transaction.stamp())]);
          throw new Error("undone");
        }),
      );
    }
    await put(kernel, [numberRow("b", 1)]);
    const stamp = await putStamped(kernel, "a");
    const after = await watermarkOf(kernel);
    isTrue(
      after >= stamp,
      `The watermark ${after} must have reached the stamp ${stamp} behind rolled-back transactions`,
    );
  },

  "never lets a row appear at or below a watermark that was read without it": async ({ kernel }) => {
    for (const seed of [1, 2, 3]) await checkStamps(() => kernel, seed);
  },
});
