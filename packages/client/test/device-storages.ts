import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SyncStorage } from "@sallyport/client/sync";
import type { StorageUnderTest } from "@sallyport/client/sync/conformance";
import { indexedDbStorage } from "@sallyport/client/sync/indexeddb";
import { type SqliteDatabase, type SqliteStatement, sqliteStorage } from "@sallyport/client/sync/sqlite";
import { IDBKeyRange as FakeKeyRange, indexedDB as fake } from "fake-indexeddb";
import sqliteWasm from "node-sqlite3-wasm";

/** Opens handles and closes them all. */
function handles(open: () => Promise<SyncStorage>, remove: () => void) {
  const opened: SyncStorage[] = [];
  const reopen = async () => {
    const storage = await open();
    opened.push(storage);
    return storage;
  };
  const destroy = async () => {
    for (const storage of opened) await storage.close().catch(() => {});
    remove();
  };
  return { reopen, destroy };
}

/** IndexedDB, as the package `fake-indexeddb` implements it. */
export const indexedDbUnderTest: StorageUnderTest = {
  name: "IndexedDB",
  create: async () => {
    Object.assign(globalThis, { indexedDB: fake, IDBKeyRange: FakeKeyRange });
    const name = crypto.randomUUID();
    const { reopen, destroy } = handles(
      () => indexedDbStorage(name),
      () => fake.deleteDatabase(name),
    );
    return { storage: await reopen(), reopen, destroy };
  },
};

/** The API of `node:sqlite` on a SQLite in WebAssembly, for versions of Node without that module. */
export function openWasm(path: string): SqliteDatabase {
  const database = new sqliteWasm.Database(path);
  const prepare = (sql: string): SqliteStatement => {
    const statement = database.prepare(sql);
    return {
      run: (...parameters) => statement.run(parameters),
      // Its `get` leaves the statement, and so the file, in use.
      get: (...parameters) => statement.all(parameters)[0],
      all: (...parameters) => statement.all(parameters),
    };
  };
  return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
}

/** `node:sqlite`, from Node 22.5 on. */
export function openNode(): ((path: string) => SqliteDatabase) | undefined {
  try {
    const { DatabaseSync } = createRequire(import.meta.url)("node:sqlite");
    return (path) => new DatabaseSync(path);
  } catch {
    return undefined;
  }
}

export function sqliteUnderTest(name: string, open: (path: string) => SqliteDatabase): StorageUnderTest {
  return {
    name,
    create: async () => {
      const folder = mkdtempSync(join(tmpdir(), "sallyport-device-"));
      const openFile = async () => sqliteStorage(open(join(folder, "device.db")));
      const { reopen, destroy } = handles(openFile, () => rmSync(folder, { recursive: true }));
      return { storage: await reopen(), reopen, destroy };
    },
  };
}
