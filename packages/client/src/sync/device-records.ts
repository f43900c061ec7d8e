import type { Notice } from "./notices.ts";
import type { ObjectState } from "./object-state.ts";
import type { Snapshot, SyncStorage } from "./storage.ts";

/** How far a schema is synchronized. */
export interface Position {
  /** `syncVersion` of the last complete pull. */
  readonly version: string;
  /** Number of pulls from the beginning. */
  readonly generation: number;
  /** Identifies the server's database between two restores. */
  readonly database: string | null;
  /** An incomplete pull. */
  readonly pull: IncompletePull | null;
  /** Sequence of the latest change or notice. */
  readonly sequence: number;
}

export interface IncompletePull {
  /** `null`: the next page is the first one. */
  readonly cursor: string | null;
  /** Whether the server's database is another one than before. */
  readonly isRestored: boolean;
  /** After the last page of a pull from the beginning: what is missing there is removed, in the order of keys. */
  readonly sweep: { readonly after: string; readonly version: string } | null;
}

const unsynchronized: Position = { version: "0", generation: 0, database: null, pull: null, sequence: 0 };

/** Greater than every character of a key. */
const end = "\u007f";
const digits = 16;

/** The prefixes of the keys of a schema. */
export type Area = "objects" | "queue" | "held" | "notices";

const prefixes: Readonly<Record<Area, string>> = { objects: "o", queue: "q", held: "h", notices: "n" };

/** A storage that is always outdated does not keep its contract. */
const maxAttempts = 10_000;

/** The storage has changed since the first read of a transaction. */
class Outdated extends Error {}

/** The result of a transaction, and the UUIDs of the objects that it has changed. */
interface Transacted<T> {
  readonly result: T;
  readonly uuids: readonly string[];
}

/** Runs work on the records of a schema and writes its changes at once. It is repeated if others wrote at the same time. */
export async function transact<T>(
  storage: SyncStorage,
  schema: string,
  work: (records: DeviceRecords) => Promise<T>,
): Promise<Transacted<T>> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const records = new DeviceRecords(storage, schema);
    try {
      const result = await work(records);
      if (await records.commit()) return { result, uuids: records.changedObjects };
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw new Error("The storage has refused too many writes.");
}

/** The records of one schema within a transaction. */
export class DeviceRecords {
  readonly #storage: SyncStorage;
  readonly #schema: string;
  readonly #changes = new Map<string, string | null>();
  readonly #changedObjects = new Set<string>();
  #revision: number | undefined;

  constructor(storage: SyncStorage, schema: string) {
    this.#storage = storage;
    this.#schema = schema;
  }

  /** UUIDs of the objects whose state was set. */
  get changedObjects(): string[] {
    return [...this.#changedObjects];
  }

  /** `false` if another writer was faster. */
  async commit(): Promise<boolean> {
    if (this.#changes.size === 0) return true;
    const revision = this.#revision ?? (await this.#storage.read([])).revision;
    return this.#storage.write(revision, this.#changes);
  }

  async position(): Promise<Position> {
    const [text = null] = await this.#read([this.#positionKey]);
    return text === null ? unsynchronized : (JSON.parse(text) as Position);
  }

  setPosition(position: Position): void {
    this.#changes.set(this.#positionKey, JSON.stringify(position));
  }

  /** The states of objects by UUID, of those that the device knows. */
  async states(uuids: readonly string[]): Promise<Map<string, ObjectState>> {
    const texts = await this.#read(uuids.map((uuid) => this.key("objects", uuid)));
    return new Map(
      uuids.flatMap((uuid, index) => {
        const text = texts[index] ?? null;
        return text === null ? [] : [[uuid, JSON.parse(text) as ObjectState]];
      }),
    );
  }

  async state(uuid: string): Promise<ObjectState | undefined> {
    return (await this.states([uuid])).get(uuid);
  }

  /** Replaces a state, and with it the places of its changes in the queue. */
  setState(uuid: string, before: ObjectState | undefined, after: ObjectState | null): void {
    this.#changedObjects.add(uuid);
    for (const change of before?.pending ?? []) this.#changes.set(this.#placeOf(change), null);
    for (const change of after?.pending ?? []) this.#changes.set(this.#placeOf(change), uuid);
    this.#changes.set(this.key("objects", uuid), after === null ? null : JSON.stringify(after));
  }

  /** Entries of an area in their order, after a key. The value is JSON or, in `queue` and `held`, a UUID. */
  list(area: Area, after?: string, limit = 500): Promise<[string, string][]> {
    const prefix = this.key(area, "");
    return this.#guarded(this.#storage.list({ after: after ?? prefix, before: prefix + end, limit }));
  }

  addNotices(notices: readonly Notice[], sequence: number): number {
    let latest = sequence;
    for (const notice of notices) this.#changes.set(this.key("notices", padded((latest += 1))), JSON.stringify(notice));
    return latest;
  }

  removeNotices(keys: readonly string[]): void {
    for (const key of keys) this.#changes.set(key, null);
  }

  key(area: Area, name: string): string {
    return `${prefixes[area]}/${this.#schema}/${name}`;
  }

  uuidOf(key: string): string {
    return key.slice(this.key("objects", "").length);
  }

  /** The sequence in a key of the queue. */
  sequenceOf(key: string): number {
    return Number(key.slice(-digits));
  }

  get #positionKey(): string {
    return `p/${this.#schema}`;
  }

  #placeOf({ sequence, held }: ObjectState["pending"][number]): string {
    return this.key(held === undefined ? "queue" : "held", padded(sequence));
  }

  #read(keys: readonly string[]): Promise<(string | null)[]> {
    return this.#guarded(this.#storage.read(keys));
  }

  async #guarded<T>(reading: Promise<Snapshot<T>>): Promise<T> {
    const { revision, value } = await reading;
    this.#revision ??= revision;
    if (revision !== this.#revision) throw new Outdated();
    return value;
  }
}

const padded = (sequence: number) => String(sequence).padStart(digits, "0");
