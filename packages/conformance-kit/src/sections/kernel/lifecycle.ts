import type { Kernel } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, signal } from "../../fixtures/concurrently.ts";
import { kernelChecks, keysIn, kitTables, numberRow, otherTable, put, rowOf, rowTable } from "./kernel-checks.ts";
import { putStamped, watermarkOf } from "./stamps.ts";

const table = rowTable.name;

/** Calls of a kernel that need a migrated and open database. */
const calls = (kernel: Kernel): { readonly [what: string]: () => Promise<unknown> } => ({
  "a read": () => kernel.read((reader) => reader.get(table, ["a"])),
  "a transaction": () => put(kernel, [rowOf("a")]),
  health: () => kernel.health(),
});

const unmigrated = kernelChecks(
  {
    "answers 705 until its tables are migrated, and works then": async ({ kernel }) => {
      for (const [what, call] of Object.entries(calls(kernel)))
        await failsWith(705, call, `${what} before the migration`);
      await kernel.migrate(kitTables);
      for (const call of Object.values(calls(kernel))) await call();
      equal(await keysIn(kernel), ["a"], "the keys");
    },

    "creates its tables once in concurrent migrations": async ({ kernel }) => {
      await concurrently(4, (index) => kernel.migrate(index === 3 ? [rowTable] : kitTables));
      await put(kernel, [rowOf("a", {}, "1")]);
      equal(await keysIn(kernel, { index: "first" }), ["a"], "the keys in an index");
      equal(await keysIn(kernel, {}, otherTable.name), [], "the keys of the other table");
    },

    "adds missing tables and indexes, and keeps rows, places and stamps": async ({ kernel }) => {
      await kernel.migrate([{ name: table, indexes: ["first"] }]);
      await kernel.transaction((transaction) =>
        transaction.put(table, [{ key: "old", value: { old: true }, places: { first: ["1"] } }]),
      );
      const stamp = await putStamped(kernel, "stamped");
      await kernel.migrate(kitTables);
      await kernel.migrate([otherTable]);
      equal(await keysIn(kernel), ["old", "stamped"], "the keys");
      equal(await keysIn(kernel, { index: "first" }), ["old"], "the keys in the earlier index");
      equal(await keysIn(kernel, { index: "second" }), [], "the keys in the new index");
      await kernel.transaction((transaction) =>
        transaction.put(table, [{ key: "new", value: {}, places: { first: ["0"], second: ["2"] } }]),
      );
      equal(await keysIn(kernel, { index: "first" }), ["new", "old"], "the keys in the earlier index after a write");
      equal(await keysIn(kernel, { index: "second" }), ["new"], "the keys in the new index after a write");
      await put(kernel, [rowOf("a")], otherTable.name);
      equal(await keysIn(kernel, {}, otherTable.name), ["a"], "the keys of the new table");
      equal((await watermarkOf(kernel)) >= stamp, true, "whether the watermark has reached an earlier stamp");
    },

    "closes before its tables are migrated": async ({ kernel }) => {
      await kernel.close();
      await failsWith(706, () => kernel.migrate(kitTables), "a migration after close");
    },
  },
  { migrated: false },
);

const migrated = kernelChecks({
  "keeps what is written during a migration": async ({ kernel }) => {
    await Promise.all([
      ...Array.from({ length: 8 }, (_, index) => put(kernel, [numberRow(`${index}`, index, `${index}`)])),
      kernel.migrate([...kitTables, { name: "kitMore", indexes: ["first"] }]),
      kernel.migrate(kitTables),
    ]);
    equal((await keysIn(kernel, { index: "first" })).length, 8, "number of rows");
    equal(await keysIn(kernel, {}, "kitMore"), [], "the keys of the new table");
  },

  "is healthy, and answers 706 to every call after it is closed, repeatedly and concurrently": async ({ kernel }) => {
    await kernel.health();
    await Promise.all([kernel.close(), kernel.close()]);
    await kernel.close();
    for (const [what, call] of Object.entries(calls(kernel))) await failsWith(706, call, `${what} after close`);
    await failsWith(706, () => kernel.migrate(kitTables), "a migration after close");
  },

  "waits for a running transaction and a running read before it closes": async ({ kernel }) => {
    const order: string[] = [];
    const [go, ...begun] = [signal(), signal(), signal()];
    const transaction = kernel.transaction(async (running) => {
      await running.put(table, [rowOf("a")]);
      begun[0]?.fire();
      await go.fired;
      equal(await running.count(table, {}, 10), 1, "the count of a transaction beside close");
      order.push("work");
    });
    const read = kernel.read(async (reader) => {
      await reader.count(table, {}, 10);
      begun[1]?.fire();
      await go.fired;
      await reader.get(table, ["a"]);
      order.push("work");
    });
    await Promise.race([Promise.all(begun.map(({ fired }) => fired)), transaction, read]);
    const closing = kernel.close().then(() => order.push("closed"));
    await failsWith(706, () => kernel.read((reader) => reader.get(table, [])), "a read beside close");
    go.fire();
    await Promise.all([closing, transaction, read]);
    equal(order, ["work", "work", "closed"], "the order of events");
  },
});

export const kernelLifecycleChecks: readonly Check[] = [...unmigrated, ...migrated];
