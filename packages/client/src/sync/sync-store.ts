import { copyOfFields } from "../json.ts";
import type { Attributes } from "../objects.ts";
import { type DeviceRecords, transact } from "./device-records.ts";
import { created, discarded, type EditPlace, removed, updated } from "./edits.ts";
import { groupedNotices, type PendingNotices, type Notice } from "./notices.ts";
import { type Fields, type ObjectState, type PendingChange, viewOf } from "./object-state.ts";
import type { SyncStorage } from "./storage.ts";

/** An object as the user sees it: the server's copy with the pending edits. */
export type DeviceObject<Known extends Attributes = Attributes> = {
  readonly "~ClassName": string;
  readonly "~UUID": string;
  /** `null` until the server has acknowledged a new object. */
  readonly "~ObjectID": string | null;
  /** Version of the server's copy. 0 for a new object. */
  readonly "~Version": number;
  /** Whether it has edits that the server has not acknowledged. */
  readonly "~Pending": boolean;
} & Known;

/** All that the device keeps of an object. */
export interface DeviceEntry {
  readonly uuid: string;
  readonly className: string;
  /** `null` until the server has acknowledged a new object. */
  readonly objectId: string | null;
  /** Version of the server's copy. 0 for a new object. */
  readonly version: number;
  /** The server's copy. `null`: none. */
  readonly server: Fields | null;
  /** The same with the pending edits. `null`: none, or removed. */
  readonly local: Fields | null;
  /** In the order of the edits. */
  readonly pending: readonly PendingChange[];
}

/** An edit that the server has not acknowledged, with the UUID of its object. */
export type QueuedChange = PendingChange & { readonly uuid: string };

/** Objects that a transaction of the store has changed, added or removed. */
export interface StoreChange {
  /** An edit of the application, or a step of `sync`. */
  readonly cause: "edit" | "sync";
  readonly schema: string;
  readonly uuids: readonly string[];
}

export interface SyncStoreOptions {
  /** Makes ids of changes and UUIDs of new objects. Default: random UUIDs. */
  readonly newId?: (() => string) | undefined;
}

const schemaPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * The objects of one user on this device. Reads and edits need no network; `sync` exchanges them with the server. Every
 * edit is one transaction of the storage. Several tabs or processes can use a storage, each with a store of its own.
 *
 * Use one storage per user. Calls throw a `TypeError` for an invalid schema name or UUID, and for values that JSON would
 * change: `NaN`, infinite numbers, -0, `undefined`, a `BigInt`, a `Date`, and other objects than arrays and plain ones.
 */
export class SyncStore {
  readonly newId: () => string;
  readonly #listeners = new Set<(change: StoreChange) => void>();

  constructor(
    readonly storage: SyncStorage,
    { newId = randomUuid }: SyncStoreOptions = {},
  ) {
    this.newId = newId;
  }

  /** Creates an object and returns its UUID. */
  async create(schema: string, className: string, fields: object, uuid: string = this.newId()): Promise<string> {
    const [id, values] = [checkedUuid(uuid), copyOfFields(fields)];
    await this.#edit(schema, id, (state, place) => {
      if (state !== undefined) throw new Error("The device already has an object with this UUID.");
      return created(className, values, place);
    });
    return id;
  }

  /** Changes the given fields of an object. Other fields stay unchanged. */
  async update(schema: string, uuid: string, fields: object): Promise<void> {
    const values = copyOfFields(fields);
    await this.#edit(schema, checkedUuid(uuid), (state, place) => updated(present(state), values, place));
  }

  /** Removes an object. The server deletes it permanently. */
  async remove(schema: string, uuid: string): Promise<void> {
    await this.#edit(schema, checkedUuid(uuid), (state, place) => removed(present(state), place));
  }

  /** Drops the pending edits of an object. An edit that is being pushed can still reach the server. */
  async discard(schema: string, uuid: string): Promise<void> {
    await this.#edit(schema, checkedUuid(uuid), (state) => (state === undefined ? null : discarded(state)));
  }

  /** An object, `undefined` if the device has none with this UUID. */
  async get<Known extends Attributes>(schema: string, uuid: string): Promise<DeviceObject<Known> | undefined> {
    const entry = await this.entry(schema, uuid);
    return entry && objectOf<Known>(entry);
  }

  /** All objects, of one class if given. It reads the storage in portions, without a common moment. */
  async *objects<Known extends Attributes>(
    schema: string,
    { className }: { readonly className?: string | undefined } = {},
  ): AsyncGenerator<DeviceObject<Known>, void, undefined> {
    for await (const entry of this.entries(schema)) {
      if (className !== undefined && entry.className !== className) continue;
      const object = objectOf<Known>(entry);
      if (object !== undefined) yield object;
    }
  }

  /** All that the device keeps of an object, also if it is removed but not yet on the server. */
  async entry(schema: string, uuid: string): Promise<DeviceEntry | undefined> {
    const id = checkedUuid(uuid);
    const state = await this.transact(schema, (records) => records.state(id));
    return state && entryOf(id, state);
  }

  /** All entries. */
  async *entries(schema: string): AsyncGenerator<DeviceEntry, void, undefined> {
    for (let after: string | undefined; ; ) {
      const page = await this.transact(schema, async (records) => {
        const listed = await records.list("objects", after);
        return listed.map(([key, text]) => ({
          key,
          uuid: records.uuidOf(key),
          state: JSON.parse(text) as ObjectState,
        }));
      });
      for (const { uuid, state } of page) if (!state.isRemoved) yield entryOf(uuid, state);
      after = page.at(-1)?.key;
      if (after === undefined) return;
    }
  }

  /** The edits that the server has not acknowledged, in their order. */
  async pending(schema: string): Promise<QueuedChange[]> {
    return this.transact(schema, async (records) => {
      const queued = [...(await all(records, "queue")), ...(await all(records, "held"))];
      const states = await records.states([...new Set(queued)]);
      const changes = Array.from(states, ([uuid, { pending }]) => pending.map((each) => ({ ...each, uuid }))).flat();
      return changes.toSorted((one, other) => one.sequence - other.sequence);
    });
  }

  /**
   * The fate of edits that the application has not confirmed: of this synchronization and of earlier ones. Several tabs
   * see the same notices until one of them confirms.
   */
  async notices(schema: string): Promise<PendingNotices> {
    const entries = await this.transact(schema, async (records) => {
      const pages: (readonly [key: string, notice: Notice])[] = [];
      for (let after: string | undefined; ; ) {
        const page = await records.list("notices", after);
        for (const [key, text] of page) pages.push([key, JSON.parse(text) as Notice]);
        after = page.at(-1)?.[0];
        if (after === undefined) return pages;
      }
    });
    const keys = entries.map(([key]) => key);
    const confirm = () => this.transact(schema, async (records) => records.removeNotices(keys));
    return { ...groupedNotices(entries.map(([, notice]) => notice)), confirm };
  }

  /** Calls the listener after each change of objects by this store. Returns the function that ends it. */
  subscribe(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @internal */
  async transact<T>(
    schema: string,
    work: (records: DeviceRecords) => Promise<T>,
    cause: StoreChange["cause"] = "sync",
  ): Promise<T> {
    if (!schemaPattern.test(schema)) throw new TypeError("The name of the schema is invalid.");
    const { result, uuids } = await transact(this.storage, schema, work);
    if (uuids.length > 0) for (const listener of this.#listeners) listener({ cause, schema, uuids });
    return result;
  }

  async #edit(
    schema: string,
    uuid: string,
    change: (state: ObjectState | undefined, place: EditPlace) => ObjectState | null,
  ): Promise<void> {
    const id = this.newId();
    const work = async (records: DeviceRecords) => {
      const position = await records.position();
      const latest = position.sequence;
      const before = await records.state(uuid);
      const after = change(before, { id, latest, sequence: latest + 1 });
      if (after === (before ?? null)) return;
      records.setState(uuid, before, after);
      records.setPosition({ ...position, sequence: latest + 1 });
    };
    await this.transact(schema, work, "edit");
  }
}

async function all(records: DeviceRecords, area: "queue" | "held"): Promise<string[]> {
  const uuids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await records.list(area, after);
    uuids.push(...page.map(([, uuid]) => uuid));
    after = page.at(-1)?.[0];
    if (after === undefined) return uuids;
  }
}

function entryOf(uuid: string, state: ObjectState): DeviceEntry {
  const { className, objectId, version, fields, pending } = state;
  return { uuid, className, objectId, version, server: fields, local: viewOf(state), pending };
}

function objectOf<Known extends Attributes>({
  uuid,
  className,
  objectId,
  version,
  local,
  pending,
}: DeviceEntry): DeviceObject<Known> | undefined {
  if (local === null) return undefined;
  const meta = { "~ClassName": className, "~UUID": uuid, "~ObjectID": objectId, "~Version": version };
  return { ...local, ...meta, "~Pending": pending.length > 0 } as unknown as DeviceObject<Known>;
}

function present(state: ObjectState | undefined): ObjectState {
  if (state === undefined) throw new Error("The object is not on this device.");
  return state;
}

function checkedUuid(uuid: string): string {
  const id = uuid.toLowerCase();
  if (!uuidPattern.test(id)) throw new TypeError("The UUID is invalid.");
  return id;
}

/** Browsers have no `crypto.randomUUID` on pages from plain HTTP. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const [sixth = 0, eighth = 0] = [bytes[6], bytes[8]];
  bytes[6] = (sixth & 0x0f) | 0x40;
  bytes[8] = (eighth & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
