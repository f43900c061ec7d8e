import { memoryStorage, type SyncStorage } from "@sallyport/client/sync";
import {
  runSyncStorageCheck,
  type StorageUnderTest,
  syncStorageChecks,
  syncStorageConformance,
} from "@sallyport/client/sync/conformance";
import { indexedDbUnderTest, openNode, openWasm, sqliteUnderTest } from "./device-storages.ts";

const memory: StorageUnderTest = {
  name: "memory",
  hasOneHandle: true,
  create: async () => {
    const storage = memoryStorage();
    return { storage, destroy: () => storage.close() };
  },
};

syncStorageConformance(memory);
syncStorageConformance(indexedDbUnderTest);
syncStorageConformance(sqliteUnderTest("SQLite in WebAssembly", openWasm));

const openNodeSqlite = openNode();
if (openNodeSqlite !== undefined) syncStorageConformance(sqliteUnderTest("node:sqlite", openNodeSqlite));
else test(`Node ${process.versions.node} has no node:sqlite`, () => expect(openNodeSqlite).toBeUndefined());

/** A storage in memory with another handle, and one mistake. */
function broken(
  breakIt: (whole: SyncStorage) => Partial<SyncStorage>,
  ownHandle = (handle: SyncStorage) => handle,
): StorageUnderTest {
  return {
    name: "broken",
    create: async () => {
      const whole = memoryStorage();
      const handle = (): SyncStorage => {
        let isClosed = false;
        const open = <T>(call: () => Promise<T>) => (isClosed ? Promise.reject(new Error("closed")) : call());
        return {
          read: (keys) => open(() => whole.read(keys)),
          list: (range) => open(() => whole.list(range)),
          write: (revision, changes) => open(() => whole.write(revision, changes)),
          close: async () => {
            isClosed = true;
          },
          ...breakIt(whole),
        };
      };
      return { storage: handle(), reopen: async () => ownHandle(handle()), destroy: () => whole.close() };
    },
  };
}

const entriesOf = (changes: ReadonlyMap<string, string | null>) => [...changes];

const mistakes: readonly (readonly [mistake: string, underTest: StorageUnderTest, found: RegExp])[] = [
  [
    "ignores the revision of a write",
    broken((whole) => ({ write: async (_, changes) => whole.write((await whole.read([])).revision, changes) })),
    /refuses another revision/,
  ],
  [
    "does not report a refused write",
    broken((whole) => ({ write: async (revision, changes) => (await whole.write(revision, changes)) || true })),
    /refuses another revision/,
  ],
  [
    "writes one entry at a time",
    broken((whole) => ({
      write: async (revision, changes) => {
        let current = revision;
        for (const entry of changes) {
          if (!(await whole.write(current, new Map([entry])))) return false;
          current += 1;
        }
        return current > revision || whole.write(revision, new Map());
      },
    })),
    /a write that fails changes nothing/,
  ],
  [
    "writes in two halves",
    broken((whole) => ({
      write: async (revision, changes) => {
        const entries = entriesOf(changes);
        if (!(await whole.write(revision, new Map(entries.slice(0, 1))))) return false;
        return whole.write(revision + 1, new Map(entries.slice(1)));
      },
    })),
    /shows a write as a whole|at once/,
  ],
  [
    "keeps the revision",
    broken((whole) => ({ read: async (keys) => ({ ...(await whole.read(keys)), revision: 0 }) })),
    /raises the revision|refuses another revision/,
  ],
  [
    "ignores case",
    broken((whole) => ({
      read: (keys) => whole.read(keys.map((key) => key.toLowerCase())),
      write: (revision, changes) =>
        whole.write(revision, new Map(entriesOf(changes).map(([key, value]) => [key.toLowerCase(), value]))),
    })),
    /inherited members|order of their codes/,
  ],
  [
    "orders by language",
    broken((whole) => ({
      list: async (range) => {
        const { revision, value } = await whole.list(range);
        return { revision, value: value.toSorted(([one], [other]) => one.localeCompare(other)) };
      },
    })),
    /order of their codes/,
  ],
  [
    "includes the start of a range",
    broken((whole) => ({
      list: async ({ after, before, limit }) => {
        const {
          value: [first],
        } = await whole.read([after]);
        const { revision, value } = await whole.list({ after, before, limit });
        return {
          revision,
          value: typeof first === "string" ? ([[after, first], ...value].slice(0, limit) as [string, string][]) : value,
        };
      },
    })),
    /without its ends/,
  ],
  [
    "ignores the limit",
    broken((whole) => ({ list: (range) => whole.list({ ...range, limit: 1_000_000 }) })),
    /up to the limit/,
  ],
  [
    "keeps values as members of an object",
    broken((whole) => ({
      read: async (keys) => {
        const { revision, value } = await whole.read(keys);
        const inherited = keys.map((key) =>
          (({}) as Record<string, unknown>)[key] === undefined ? null : "[inherited]",
        );
        return { revision, value: value.map((each, index) => each ?? inherited[index] ?? null) };
      },
    })),
    /inherited members/,
  ],
  [
    "cuts large values",
    broken((whole) => ({
      write: (revision, changes) =>
        whole.write(
          revision,
          new Map(entriesOf(changes).map(([key, value]) => [key, value?.slice(0, 1_000_000) ?? null])),
        ),
    })),
    /large ones/,
  ],
  [
    "forgets on a restart",
    broken(
      () => ({}),
      () => memoryStorage(),
    ),
    /across a restart/,
  ],
  ["works after it was closed", broken(() => ({ close: async () => {} })), /after it was closed/],
];

describe("broken storages", () => {
  test.each(mistakes)("a storage that %s fails", async (_mistake, underTest, expected) => {
    // Only the first failure: a device on a broken storage may never end.
    let failed = "none";
    for (const { name, ...check } of syncStorageChecks) {
      if (failed !== "none") break;
      await runSyncStorageCheck(underTest, { name, ...check }).catch(() => {
        failed = name;
      });
    }
    expect(failed).toMatch(expected);
  });
});
