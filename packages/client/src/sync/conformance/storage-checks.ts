import type { SyncStorage } from "../storage.ts";
import { checksOf, equal, pause, rejects } from "./storage-check.ts";

type Changes = Readonly<Record<string, string | null>>;

const mapOf = (changes: Changes) => new Map(Object.entries(changes));

async function written(storage: SyncStorage, changes: Changes): Promise<void> {
  const { revision } = await storage.read([]);
  equal(await storage.write(revision, mapOf(changes)), true, "a write with the current revision");
}

const everything = { after: " ", before: "~", limit: 100_000 };

async function contents(storage: SyncStorage): Promise<Record<string, string>> {
  return Object.fromEntries((await storage.list(everything)).value);
}

/** Changes that fail after some entries. */
class BrokenChanges extends Map<string, string | null> {
  override *[Symbol.iterator](): MapIterator<[string, string | null]> {
    yield ["a", "half"];
    yield ["b", null];
    throw new Error("The changes end here.");
  }
  override entries(): MapIterator<[string, string | null]> {
    return this[Symbol.iterator]();
  }
  override *keys(): MapIterator<string> {
    for (const [key] of this) yield key;
  }
  override forEach(visit: (value: string | null, key: string, map: Map<string, string | null>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }
}

/** Reads while another handle writes. Each read must be of one moment. */
async function readsWholeWrites(writer: SyncStorage, reader: SyncStorage): Promise<void> {
  const keys = Array.from({ length: 200 }, (_, index) => `k${String(index).padStart(3, "0")}`);
  const progress = { isDone: false };
  const writing = (async () => {
    for (let round = 1; round <= 15; round += 1) {
      const changes = new Map(keys.map((key) => [key, String(round)]));
      equal(await writer.write(round - 1, changes), true, `write ${round}`);
    }
    progress.isDone = true;
  })();
  // Handled below.
  writing.catch(() => {});
  let earlier = 0;
  while (!progress.isDone) {
    const [read, list] = await Promise.all([reader.read(keys), reader.list(everything)]);
    for (const { revision, value } of [read, { ...list, value: list.value.map(([, text]) => text) }]) {
      const found = [...new Set(value)];
      equal(
        found,
        revision === 0 ? found.filter((each) => each === null) : [String(revision)],
        "the values of a revision",
      );
    }
    equal(read.revision >= earlier, true, "the revision rises");
    earlier = read.revision;
    // Lets other work run if the storage is synchronous.
    await Promise.race([writing, pause(0)]);
  }
  await writing;
}

/** The contract of `SyncStorage`. */
export const storageChecks = checksOf({
  "a new storage is empty and has revision 0": async ({ storage }) => {
    equal(await storage.read(["a"]), { revision: 0, value: [null] }, "a key");
    equal(await storage.list(everything), { revision: 0, value: [] }, "all entries");
  },

  "reads values in the order of the keys": async ({ storage }) => {
    await written(storage, { b: "2", a: "1" });
    equal((await storage.read(["b", "missing", "a", "b"])).value, ["2", null, "1", "2"], "the values");
    equal((await storage.read([])).value, [], "no keys");
  },

  "replaces and removes values, and raises the revision": async ({ storage }) => {
    await written(storage, { a: "1", b: "2", c: "3" });
    await written(storage, { a: "new", b: null, missing: null });
    equal(await contents(storage), { a: "new", c: "3" }, "the entries");
    const { revision } = await storage.read([]);
    equal(await storage.write(revision, new Map()), true, "a write without changes");
    equal((await storage.read([])).revision > revision, true, "the revision rises");
  },

  "refuses another revision and changes nothing": async ({ storage }) => {
    await written(storage, { a: "1" });
    const before = await storage.read(["a", "b"]);
    for (const revision of [0, before.revision + 1, -1])
      equal(await storage.write(revision, mapOf({ a: "2", b: "2" })), false, `a write with revision ${revision}`);
    equal(await storage.read(["a", "b"]), before, "the values and the revision");
  },

  "accepts one of several writes at once": async ({ storage }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storage.write(0, mapOf({ winner: String(index), [`k${index}`]: "" }))),
    );
    const winners = results.flatMap((isWritten, index) => (isWritten ? [index] : []));
    equal(winners.length, 1, "the number of writes");
    equal(await contents(storage), { [`k${winners[0]}`]: "", winner: String(winners[0]) }, "the entries");
  },

  "a write that fails changes nothing": async ({ storage }) => {
    await written(storage, { a: "1", b: "2" });
    const { revision } = await storage.read([]);
    await rejects(() => storage.write(revision, new BrokenChanges()), "a write with broken changes");
    equal(await contents(storage), { a: "1", b: "2" }, "the entries");
    await written(storage, { c: "3" });
    equal(await contents(storage), { a: "1", b: "2", c: "3" }, "the entries after the next write");
  },

  "lists keys in the order of their codes": async ({ storage }) => {
    const keys = ["A", "B", "Z", "a", "b", "a/1", "a/10", "a/2", "a-1", "a_1", "a.1", "_", "0", "9", "10"];
    await written(storage, Object.fromEntries(keys.map((key) => [key, key])));
    const listed = (await storage.list(everything)).value.map(([key]) => key);
    equal(listed, keys.toSorted(), "the keys");
  },

  "lists a range without its ends, up to the limit": async ({ storage }) => {
    await written(storage, { a: "1", b: "2", c: "3", d: "4" });
    const list = async (after: string, before: string, limit: number) =>
      (await storage.list({ after, before, limit })).value.map(([key]) => key).join("");
    equal(await list("a", "d", 10), "bc", "between a and d");
    equal(await list("a", "z", 2), "bc", "two after a");
    equal(await list("0", "b", 10), "a", "before b");
    equal(await list("d", "z", 10), "", "after the last one");
    equal(await list("b", "b", 10), "", "an empty range");
    equal(await list("c", "b", 10), "", "a reversed range");
  },

  "lists many entries page by page": async ({ storage }) => {
    const name = (index: number) => `o/${String(index).padStart(6, "0")}`;
    for (let at = 0; at < 3_000; at += 1_000)
      await written(storage, Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [name(at + index), "x"])));
    let [after, count] = ["o/", 0];
    for (;;) {
      const { value } = await storage.list({ after, before: "o/\u007f", limit: 700 });
      if (value.length === 0) break;
      for (const [key] of value) equal(key, name((count += 1) - 1), "the next key");
      after = value.at(-1)?.[0] ?? "";
    }
    equal(count, 3_000, "the number of entries");
  },

  "keeps names of inherited members and patterns apart": async ({ storage }) => {
    const keys = [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "length",
      "%",
      "_",
      "'",
      '"',
      "a b",
      "a%",
      "A",
    ];
    equal(
      (await storage.read(keys)).value,
      keys.map(() => null),
      "before the write",
    );
    const { revision } = await storage.read([]);
    await storage.write(revision, new Map(keys.map((key, index) => [key, String(index)])));
    equal(
      (await storage.read(keys)).value,
      keys.map((_, index) => String(index)),
      "the values",
    );
    equal((await storage.read(["a", "valueOf", "a_b"])).value, [null, null, null], "other keys");
  },

  "keeps texts of all scripts, empty and large ones": async ({ storage }) => {
    const values = [
      "",
      " ",
      "null",
      "ü ß 漢字 🎉\u2028",
      '{"a":"\\u0000"}',
      "x".repeat(2_000_000),
      "é".repeat(300_000),
    ];
    await written(storage, Object.fromEntries(values.map((value, index) => [`v${index}`, value])));
    const { value } = await storage.read(values.map((_, index) => `v${index}`));
    for (const [index, text] of values.entries()) equal(value[index] === text, true, `value ${index} is unchanged`);
  },

  "keeps nothing of the given changes": async ({ storage }) => {
    const changes = mapOf({ a: "1" });
    const writing = storage.write(0, changes);
    equal(await writing, true, "the write");
    changes.set("a", "2").set("b", "2");
    equal(await contents(storage), { a: "1" }, "the entries");
  },

  "shows a write as a whole": ({ storage }) => readsWholeWrites(storage, storage),

  "rejects calls after it was closed": async ({ storage }) => {
    await storage.close();
    await rejects(() => storage.read(["a"]), "a read");
    await rejects(() => storage.write(0, mapOf({ a: "1" })), "a write");
  },

  "keeps entries and revision across a restart": {
    reopened: async ({ storage, reopen }) => {
      await written(storage, { a: "1" });
      await written(storage, { b: "2" });
      const before = await storage.read(["a", "b"]);
      await storage.close();
      const next = await reopen();
      equal(await next.read(["a", "b"]), before, "the values and the revision");
      await written(next, { a: null });
      equal(await contents(next), { b: "2" }, "the entries");
    },
  },

  "shows writes of another handle, and refuses its own outdated ones": {
    reopened: async ({ storage, reopen }) => {
      const other = await reopen();
      const { revision } = await other.read(["a"]);
      await written(storage, { a: "1" });
      equal(await other.write(revision, mapOf({ a: "2" })), false, "an outdated write");
      equal((await other.read(["a"])).value, ["1"], "the value");
      await written(other, { a: "3" });
      equal((await storage.read(["a"])).value, ["3"], "the value of the first handle");
    },
  },

  "accepts one of several writes of two handles at once": {
    reopened: async ({ storage, reopen }) => {
      const handles = [storage, await reopen()];
      for (let round = 0; round < 10; round += 1) {
        const { revision } = await storage.read([]);
        const results = await Promise.all(
          handles.map((each, index) => each.write(revision, mapOf({ winner: String(index) }))),
        );
        equal(results.filter(Boolean).length, 1, "the number of writes");
        equal((await storage.read(["winner"])).value, [String(results.indexOf(true))], "the winner");
      }
    },
  },

  "shows a write of another handle as a whole": {
    reopened: async ({ storage, reopen }) => readsWholeWrites(storage, await reopen()),
  },
});
