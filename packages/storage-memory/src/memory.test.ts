import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { MessageChannel } from "node:worker_threads";
import { jest } from "@jest/globals";
import {
  type ClassDefinition,
  type Repositories,
  seesAll,
  type ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { Applications } from "@sallyport/core";
import fc from "fast-check";
import { accepted, type ChannelRecord, openedChannel } from "./channel-record.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { compareText } from "./query/compare.ts";
import { like } from "./query/like.ts";
import { Table } from "./table.ts";

const opened = () => openedChannel({ wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) });
const highest = 2n ** 64n - 1n;

/** Steps from one number to the next: small, about the size of the window, or large. */
const step = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -1_030, max: 1_030 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
);

test("judges numbers like an unbounded set of accepted numbers", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: highest }), fc.array(step, { maxLength: 60 }), (start, steps) => {
      let record: ChannelRecord = opened();
      let number = start;
      const known = new Set<bigint>();
      for (const each of steps) {
        const top = known.size === 0 ? -1n : [...known].reduce((one, other) => (other > one ? other : one));
        const expected = number <= top - 1_024n ? "old" : known.has(number) ? "seen" : "fresh";
        const { verdict, after } = accepted(record, number);
        expect(verdict).toBe(expected);
        if (expected === "fresh") known.add(number);
        record = after;
        number = [0n, number + BigInt(each), highest].toSorted((one, other) =>
          one < other ? -1 : one > other ? 1 : 0,
        )[1] as bigint;
      }
    }),
  );
});

test("keeps the record of a refused number unchanged", () => {
  const { after } = accepted(opened(), 5_000n);
  for (const number of [5_000n, 3_976n, 0n]) expect(accepted(after, number).after).toBe(after);
});

async function migrated(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  await storage.migrate();
  return storage;
}

test("isolates stored values from later changes by callers", async () => {
  const { repositories: r } = await migrated();
  const names = ["a"];
  const [stored] = (await r.objects.insert([{ className: "File", attributes: { names } }])) as [StoredObject];
  names.push("b");
  expect(stored.attributes).toEqual({ names: ["a"] });
  expect(() => (stored.attributes["names"] as string[]).push("c")).toThrow(TypeError);
  expect(await r.objects.get([stored.id], seesAll)).toEqual([stored]);
  const [definition] = (await r.model.load()).classes as [ClassDefinition];
  expect(() => (definition.attributes as unknown[]).push({})).toThrow(TypeError);
});

test.each(["read", "write", "transaction"] as const)(
  "refuses a %s beside a transaction that waits for it",
  async (kind) => {
    const storage = await migrated();
    const { audit, settings } = storage.repositories;
    const calls = {
      read: () => audit.read(0, 1),
      write: () => settings.setMaintenance(true),
      transaction: () => storage.transaction(async () => {}),
    };
    await expect(storage.transaction(() => calls[kind]() as Promise<unknown>)).rejects.toMatchObject({ code: 799 });
    await calls[kind]();
  },
);

test("never reuses a number assigned in a transaction or a nested one", async () => {
  const storage = await migrated();
  const insert = async ({ objects }: Repositories) =>
    (await objects.insert([{ className: "File", attributes: {} }]))[0]?.id;
  const ids: unknown[] = [];
  const failing = storage.transaction(async (r, attempt) => {
    ids.push(await insert(r));
    await attempt(async () => {
      ids.push(await insert(r));
      throw new Error("undone");
    }).catch(() => {});
    ids.push(await insert(r));
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  ids.push(await insert(storage.repositories));
  expect(ids).toEqual(["1", "2", "3", "4"]);
});

test("serves a transaction driven by messages of another thread, and refuses a call that would wait for itself", async () => {
  const storage = await migrated();
  const { port1, port2 } = new MessageChannel();
  const outcomes = await storage.transaction(async (r, attempt) => {
    const asked = new Promise<unknown[]>((resolve) => {
      const inside = new AsyncResource("inside");
      port1.on("message", () => {
        const work = async () => {
          await attempt(() => r.settings.setMaintenance(true));
          return [
            await new Applications(r.records).create({ name: "one", seats: null }),
            await inside
              .runInAsyncScope(() => storage.repositories.settings.setMaintenance(false))
              .catch(({ code }: ServiceError) => code),
          ];
        };
        resolve(work());
      });
    });
    port2.postMessage("go on");
    return asked;
  });
  port1.close();
  expect(outcomes).toEqual(["created", 799]);
  expect(await new Applications(storage.repositories.records).existing(["one"])).toEqual(["one"]);
});

test("refuses the repositories of a finished transaction", async () => {
  const storage = await migrated();
  const r = await storage.transaction(async (inside) => inside);
  await expect(r.audit.read(0, 1)).rejects.toMatchObject({ code: 799 });
  await expect(r.settings.setMaintenance(true)).rejects.toMatchObject({ code: 799 });
});

test("continues after a failed transaction", async () => {
  const storage = await migrated();
  const failing = storage.transaction(async () => Promise.reject(new Error("refused")));
  const next = storage.transaction(async (r) => r.objects.count({ classes: ["User"] }, seesAll));
  await expect(failing).rejects.toThrow("refused");
  expect(await next).toBe(0);
});

test("completes running work before it closes", async () => {
  const storage = await migrated();
  const order: string[] = [];
  const running = storage.transaction(async (r) => {
    await r.settings.setMaintenance(true);
    order.push("transaction");
  });
  const closing = storage.close();
  await closing;
  order.push("closed");
  await running;
  expect(order).toEqual(["transaction", "closed"]);
});

test.each([
  ["succeeds", async () => {}],
  ["fails", () => Promise.reject(new Error("refused"))],
])("tracks promises no longer after a transaction that %s", async (_name, work) => {
  const storage = new MemoryStorage();
  await storage.migrate();
  const disable = jest.spyOn(AsyncLocalStorage.prototype, "disable");
  try {
    await storage.transaction(work).catch(() => {});
    expect(disable).toHaveBeenCalledTimes(1);
  } finally {
    disable.mockRestore();
  }
});

test("sorts texts by their UTF-8 bytes", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"),
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareText(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }),
  );
});

test.each([
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["abc", "ABC", false],
  ["", "", true],
  ["", "a", false],
  ["%", "", true],
  ["%", "a\nb", true],
  ["_", "\u{1f600}", true],
  ["_", "", false],
  ["__", "\u{1f600}", false],
  ["a%c", "abcbc", true],
  ["%b_", "abcbd", true],
  ["%b_", "abb", true],
  ["%a%b%", "xbxaxbx", true],
  ["%a%b", "ba", false],
  ["100\\%", "100%", true],
  ["100\\%", "1000", false],
  ["a\\_b", "a_b", true],
  ["a\\_b", "axb", false],
  ["a\\\\b", "a\\b", true],
  ["\\a", "a", true],
  ["\\\\%", "\\anything", true],
])("%j and %j", (pattern, text, expected) => {
  expect(like(pattern)(text)).toBe(expected);
});

test("matches a pattern with many parts in little time", () => {
  // A backtracking matcher would never end.
  const start = performance.now();
  expect(like(`${"%a".repeat(2_000)}%b`)("a".repeat(20_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1_000);
});

function filled(): Table<string, number> {
  const table = new Table<string, number>();
  table.set("a", 1);
  table.set("b", 2);
  table.set("c", 3);
  return table;
}

test("shows a fork the entries of its base, changed, added and deleted", () => {
  const fork = filled().fork();
  fork.set("b", 20);
  fork.delete("a");
  fork.set("d", 4);
  expect([...fork.entries()]).toEqual([
    ["b", 20],
    ["c", 3],
    ["d", 4],
  ]);
  expect([fork.get("a"), fork.get("b"), fork.get("c"), fork.has("a"), fork.has("d")]).toEqual([
    undefined,
    20,
    3,
    false,
    true,
  ]);
});

test("hides the changes of a fork until they are committed", () => {
  const table = filled();
  const fork = table.fork();
  fork.set("b", 20);
  fork.delete("a");
  expect([...table.values()]).toEqual([1, 2, 3]);
  fork.commit();
  expect([...table.entries()]).toEqual([
    ["b", 20],
    ["c", 3],
  ]);
});

test("forks a fork", () => {
  const table = filled();
  const outer = table.fork();
  const inner = outer.fork();
  inner.delete("a");
  inner.set("d", 4);
  inner.delete("unknown");
  expect([...outer.values()]).toEqual([1, 2, 3]);
  inner.commit();
  expect([...outer.values()]).toEqual([2, 3, 4]);
  expect([...table.values()]).toEqual([1, 2, 3]);
  outer.commit();
  expect([...table.values()]).toEqual([2, 3, 4]);
});

test("stores a deleted entry again", () => {
  const table = filled();
  const fork = table.fork();
  fork.delete("a");
  fork.set("a", 10);
  expect(fork.get("a")).toBe(10);
  fork.commit();
  expect(table.get("a")).toBe(10);
});
