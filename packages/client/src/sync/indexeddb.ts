import type { KeyRange, Snapshot, SyncStorage } from "./storage.ts";

/**
 * A storage in the IndexedDB database of this name, for browsers. All tabs of an origin share it. Browsers can delete it
 * when the disk is full, unless the page has called `navigator.storage.persist()`.
 */
export async function indexedDbStorage(name: string): Promise<SyncStorage> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(values);
    opening.result.createObjectStore(meta);
  };
  const database = await resultOf(opening);
  // Another tab deletes the database.
  database.onversionchange = () => database.close();
  return new IndexedDbStorage(database);
}

const values = "values";
const meta = "meta";
const revisionKey = "revision";

class IndexedDbStorage implements SyncStorage {
  readonly #database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.#database = database;
  }

  async read(keys: readonly string[]): Promise<Snapshot<(string | null)[]>> {
    const transaction = this.#database.transaction([values, meta], "readonly");
    const store = transaction.objectStore(values);
    const requests = keys.map((key) => resultOf<string | undefined>(store.get(key)));
    const [revision, ...found] = await Promise.all([revisionOf(transaction), ...requests]);
    return { revision, value: found.map((value) => value ?? null) };
  }

  async list({ after, before, limit }: KeyRange): Promise<Snapshot<[string, string][]>> {
    const transaction = this.#database.transaction([values, meta], "readonly");
    const store = transaction.objectStore(values);
    if (after >= before) return { revision: await revisionOf(transaction), value: [] };
    const range = IDBKeyRange.bound(after, before, true, true);
    const [revision, keys, found] = await Promise.all([
      revisionOf(transaction),
      resultOf(store.getAllKeys(range, limit)),
      resultOf<string[]>(store.getAll(range, limit)),
    ]);
    return { revision, value: found.map((value, index) => [String(keys[index]), value]) };
  }

  async write(revision: number, changes: ReadonlyMap<string, string | null>): Promise<boolean> {
    const transaction = this.#database.transaction([values, meta], "readwrite", { durability: "strict" });
    const completed = completionOf(transaction);
    try {
      if ((await revisionOf(transaction)) !== revision) return false;
      const store = transaction.objectStore(values);
      for (const [key, value] of changes) {
        if (value === null) store.delete(key);
        else store.put(value, key);
      }
      transaction.objectStore(meta).put(revision + 1, revisionKey);
    } catch (error) {
      completed.catch(() => {});
      transaction.abort();
      throw error;
    }
    await completed;
    return true;
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

async function revisionOf(transaction: IDBTransaction): Promise<number> {
  return (await resultOf<number | undefined>(transaction.objectStore(meta).get(revisionKey))) ?? 0;
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error as DOMException));
  });
}

function completionOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error as DOMException));
  });
}
