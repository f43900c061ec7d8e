import type { Kernel } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { kernelChecks, keysIn, kitTables, numberAt, numberRow, put, rowOf, rowsIn, rowTable } from "./kernel-checks.ts";
import { raceChecks } from "./races.ts";
import { checkStamps, putStamped, watermarkOf } from "./stamps.ts";
import { whileReading, whileTransaction } from "./transactions.ts";

const table = rowTable.name;

const unmigrated = kernelChecks(
  {
    "migrates concurrently in several processes": async ({ kernel, another }) => {
      const other = await another();
      await failsWith(705, () => keysIn(other), "a read before the migration");
      await concurrently(6, (index) => (index % 2 === 0 ? kernel : other).migrate(kitTables));
      await put(kernel, [rowOf("a", {}, "1")]);
      equal(await keysIn(other, { index: "first" }), ["a"], "the keys seen by the other process");
    },

    "works on tables that another process has migrated, and adds to them": async ({ kernel, another }) => {
      const other = await another();
      await kernel.migrate([rowTable]);
      await put(other, [rowOf("a", {}, "1")]);
      await other.migrate(kitTables);
      await put(kernel, [rowOf("b", {}, "0")]);
      equal(await keysIn(other, { index: "first" }), ["b", "a"], "the keys");
    },
  },
  { needs: "severalProcesses", migrated: false },
);

const shared = kernelChecks(
  {
    "shows a committed transaction to every later read of another process": async ({ kernel, another }) => {
      const other = await another();
      for (let round = 1; round <= 10; round += 1) {
        const [from, to] = round % 2 === 0 ? [kernel, other] : [other, kernel];
        await put(from, [numberRow("a", round, `${round}`)]);
        equal(await to.read((reader) => numberAt(reader, "a")), round, "the number seen by the other process");
        equal(
          (await rowsIn(to, { index: "first" })).map(({ place }) => place),
          [`${round}`],
          "the places",
        );
      }
    },

    "hides open transactions from other processes, and commits beside their reads": async ({ kernel, another }) => {
      const other = await another();
      await put(kernel, [numberRow("a", 1)]);
      const number = (of: Kernel) => of.read((reader) => numberAt(reader, "a"));
      const seen = await whileTransaction(
        kernel,
        (transaction) => transaction.put(table, [numberRow("a", 2)]),
        () => number(other),
      );
      equal([seen, await number(other)], [1, 2], "the numbers beside the transaction and after it");
      const { after } = await whileReading(
        other,
        (reader) => numberAt(reader, "a"),
        async () => {
          await put(kernel, [numberRow("a", 3)]);
          equal(await number(other), 3, "the number in another read");
        },
      );
      equal(after, 2, "the number at the end of the read");
    },

    "shares one clock, and one order of stamps": async ({ kernel, another, advance }) => {
      const other = await another();
      const both = [kernel, other];
      let last = 0;
      for (let round = 0; round < 10; round += 1) {
        const stamp = await putStamped(both[round % 2] as Kernel, `${round}`);
        isTrue(stamp > last, `The stamp ${stamp} must be above ${last}, the watermark seen by the other process`);
        last = await watermarkOf(both[(round + 1) % 2] as Kernel);
        isTrue(last >= stamp, `The watermark ${last} must have reached the stamp ${stamp} of the other process`);
      }
      const now = (of: Kernel) => of.read((reader) => reader.now());
      const before = await now(kernel);
      advance(3_600_000);
      const elapsed = (await now(other)) - before;
      isTrue(
        elapsed >= 3_600_000 && elapsed < 7_200_000,
        `The clock of the other process must move by an hour, not ${elapsed} ms`,
      );
    },

    "holds the watermark of other processes below the stamp of an open transaction": async ({ kernel, another }) => {
      const other = await another();
      let stamp = 0;
      const watermark = await whileTransaction(
        kernel,
        async (transaction) => {
          stamp = await transaction.stamp();
          await transaction.put(table, [numberRow("a", stamp)]);
        },
        () => watermarkOf(other),
      );
      isTrue(watermark < stamp, `The watermark ${watermark} must be below the stamp ${stamp} of an open transaction`);
      const after = await watermarkOf(other);
      isTrue(after >= stamp, `The watermark ${after} must have reached the stamp ${stamp} of a committed transaction`);
    },

    "never lets a row of another process appear at or below a watermark": async ({ kernel, another }) => {
      const both = [kernel, await another()];
      for (const seed of [4, 5]) await checkStamps((index) => both[index % 2] as Kernel, seed);
    },

    "goes on when another process closes": async ({ kernel, another }) => {
      const other = await another();
      await put(other, [rowOf("a")]);
      await other.close();
      await failsWith(706, () => keysIn(other), "a read of the closed process");
      await kernel.health();
      await put(kernel, [rowOf("b")]);
      equal(await keysIn(kernel), ["a", "b"], "the keys");
    },
  },
  { needs: "severalProcesses" },
);

const raced = raceChecks(", across processes", async ({ kernel, another }) => [kernel, await another()], {
  needs: "severalProcesses",
});

const reopened = kernelChecks(
  {
    "keeps rows and places after it is reopened": async ({ kernel, reopen }) => {
      await put(kernel, [numberRow("a", 1, "3"), numberRow("b", 2, "2"), numberRow("c", 3, "1")]);
      await kernel.transaction(async (transaction) => {
        await transaction.delete(table, ["b"]);
        await transaction.put(table, [numberRow("c", 4, "4")]);
      });
      const contentOf = async (of: Kernel) => [await rowsIn(of), await rowsIn(of, { index: "first" })];
      const before = await contentOf(kernel);
      await kernel.close();
      const again = await reopen();
      await again.health();
      equal(await contentOf(again), before, "the rows and places");
      await again.migrate(kitTables);
      equal(await contentOf(again), before, "the rows and places after another migration");
    },

    "continues its stamps and its watermark after it is reopened": async ({ kernel, reopen }) => {
      const stamp = await putStamped(kernel, "a");
      const watermark = await watermarkOf(kernel);
      await kernel.close();
      const again = await reopen();
      const after = await watermarkOf(again);
      isTrue(after >= watermark, `The watermark must not decrease from ${watermark} to ${after}`);
      const next = await putStamped(again, "b");
      isTrue(
        next > stamp && next > after,
        `The stamp ${next} must be above the stamp ${stamp} and the watermark ${after}`,
      );
    },
  },
  { needs: "durable" },
);

const racedAgain = raceChecks(
  ", after it is reopened",
  async ({ kernel, reopen }) => {
    await put(kernel, [rowOf("a", {}, "place 0")]);
    await kernel.transaction((transaction) => transaction.delete(table, ["a"]));
    await kernel.close();
    return [await reopen()];
  },
  { needs: "durable" },
);

export const kernelProcessChecks: readonly Check[] = [...unmigrated, ...shared, ...raced, ...reopened, ...racedAgain];
