/** Values of one moment of a storage. */
export interface Snapshot<T> {
  /** Rises with every write. */
  readonly revision: number;
  readonly value: T;
}

/** A range of keys in ascending order. */
export interface KeyRange {
  /** Keys are greater than this. */
  readonly after: string;
  /** Keys are less than this. */
  readonly before: string;
  /** Maximum number of entries. */
  readonly limit: number;
}

/**
 * Keeps the synchronized objects of a device across restarts, as texts by key. Keys consist of printable ASCII
 * characters, have at most 200 of them, and are ordered by their codes. Values have up to some MiB. Several tabs or
 * processes can use one storage at the same time.
 *
 * A new storage has the revision 0. `syncStorageConformance` of `@sallyport/client/sync/conformance` tests a storage.
 */
export interface SyncStorage {
  /** The values of keys in their order, `null` for a key that is absent. */
  read(keys: readonly string[]): Promise<Snapshot<(string | null)[]>>;

  /** Keys of a range with their values. */
  list(range: KeyRange): Promise<Snapshot<[key: string, value: string][]>>;

  /**
   * Writes all of the changes or none, durably, and raises the revision; `null` removes a key. Resolves to `false`
   * without any change if the storage no longer has this revision.
   */
  write(revision: number, changes: ReadonlyMap<string, string | null>): Promise<boolean>;

  /** Releases the storage. Later calls reject. */
  close(): Promise<void>;
}

/** A storage in memory, for tests and for devices that keep nothing. */
export function memoryStorage(): SyncStorage {
  return new MemoryStorage();
}

class MemoryStorage implements SyncStorage {
  readonly #values = new Map<string, string>();
  #sorted: string[] | undefined;
  #revision = 0;
  #isClosed = false;

  async read(keys: readonly string[]): Promise<Snapshot<(string | null)[]>> {
    this.#checkOpen();
    return { revision: this.#revision, value: keys.map((key) => this.#values.get(key) ?? null) };
  }

  async list({ after, before, limit }: KeyRange): Promise<Snapshot<[string, string][]>> {
    this.#checkOpen();
    this.#sorted ??= [...this.#values.keys()].toSorted();
    const start = firstAfter(this.#sorted, after);
    const keys = this.#sorted.slice(start, start + limit).filter((key) => key < before);
    return { revision: this.#revision, value: keys.map((key) => [key, this.#values.get(key) ?? ""]) };
  }

  async write(revision: number, changes: ReadonlyMap<string, string | null>): Promise<boolean> {
    this.#checkOpen();
    // An iteration that fails changes nothing.
    const entries = [...changes];
    if (revision !== this.#revision) return false;
    this.#revision += 1;
    for (const [key, value] of entries) {
      if (this.#values.has(key) === (value === null)) this.#sorted = undefined;
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, value);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("The storage is closed.");
  }
}

/** The position of the first key that is greater. */
function firstAfter(sorted: readonly string[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") > key) high = middle;
    else low = middle + 1;
  }
  return low;
}
