import { type Digests, Recent } from "../digests/index.ts";
import { emptyLibrary, type MacroLibrary } from "../macros/index.ts";
import { ModelCache } from "../model/index.ts";
import {
  defaultAnswerBytes,
  type ObjectId,
  type SessionPolicy,
  type Storage,
  type StoredObject,
  type ThrottlePolicy,
} from "../storage/index.ts";
import { StoreTime } from "./store-time.ts";
import { OwnUnit, type UnitOfWork } from "./unit-of-work.ts";

/** How clients prepare a password: `md5` sends its MD5 in hexadecimal digits, `none` the text itself. */
export type ClientHash = "md5" | "none";

export interface DatabasePolicy {
  readonly sessions: SessionPolicy;
  /** Failed attempts per user and per client address. */
  readonly throttle: { readonly user: ThrottlePolicy; readonly ip: ThrottlePolicy };
  /** Objects that one session may have locked; 0 means any number. */
  readonly locks: { readonly perSession: number };
  /** Objects that one user may have in the recycle bin; 0 means any number. */
  readonly objects: { readonly recycleBinPerUser: number };
  /** `retention`: milliseconds that events are kept; 0 keeps them for ever. */
  readonly audit: { readonly retention: number };
  readonly clientHash: ClientHash;
  /** IANA name of the zone in which `~StoreTime` is written. */
  readonly timeZone: string;
}

export interface DatabaseSettings {
  /** First part of its addresses; empty for the database without one. */
  readonly alias: string;
  /** `databaseName` of log-in answers. */
  readonly name: string;
  readonly policy: DatabasePolicy;
  readonly storage: Storage;
  readonly digests: Digests;
  /** Bytes that one answer may take, see `defaultAnswerBytes`; those unless given. */
  readonly answerBytes?: number;
  /** None unless given. */
  readonly macros?: MacroLibrary;
}

/** One database that the server serves, with what this process remembers of it. */
export class Database {
  readonly alias: string;
  readonly name: string;
  readonly policy: DatabasePolicy;
  readonly storage: Storage;
  /** For what is kept in the storage under a digest. */
  readonly digests: Digests;
  /** For requests that have no transaction open. */
  readonly unit: UnitOfWork;
  readonly answerBytes: number;
  readonly models = new ModelCache();
  readonly counts = new CountCache();
  readonly classes = new ClassCache();
  readonly storeTime: StoreTime;
  readonly macros: MacroLibrary;
  readonly clock: StorageClock;

  constructor(settings: DatabaseSettings) {
    const { storage, policy } = settings;
    this.alias = settings.alias;
    this.name = settings.name;
    this.policy = policy;
    this.storage = storage;
    this.digests = settings.digests;
    this.unit = new OwnUnit(storage);
    this.answerBytes = settings.answerBytes ?? defaultAnswerBytes;
    this.macros = settings.macros ?? emptyLibrary;
    this.clock = new StorageClock(storage);
    this.storeTime = new StoreTime(policy.timeZone);
  }

  /** The same database for work of which one answer can take so many bytes only. */
  within(answerBytes: number): Database {
    return Object.create(this, { answerBytes: { value: answerBytes } }) as Database;
  }
}

/** Classes of objects seen lately. They never change, but the database may: users of it have storage check it. */
export class ClassCache {
  private readonly recent = new Recent<ObjectId, string>(10_000);

  of(id: ObjectId): string | undefined {
    return this.recent.get(id);
  }

  set({ id, className }: Pick<StoredObject, "id" | "className">): void {
    if (this.recent.get(id) !== className) this.recent.set(id, className);
  }
}

/** Counts up to this one are always exact as of the request. */
const exactUpTo = 5_000;
/** A larger count may be this old, in milliseconds. */
const maximumAge = 10_000;
const maximumEntries = 1_000;

export class CountCache {
  private readonly counts = new Map<string, { count: number; at: number }>();

  /** The remembered count under the key, or the one that `count` finds. */
  async get(key: string, count: () => Promise<number>): Promise<number> {
    const remembered = this.counts.get(key);
    if (remembered !== undefined && Date.now() - remembered.at < maximumAge) return remembered.count;
    const at = Date.now();
    const counted = await count();
    this.counts.delete(key);
    if (counted > exactUpTo) this.set(key, { count: counted, at });
    return counted;
  }

  private set(key: string, entry: { count: number; at: number }): void {
    if (this.counts.size >= maximumEntries) {
      const [oldest] = this.counts.keys();
      if (oldest !== undefined) this.counts.delete(oldest);
    }
    this.counts.set(key, entry);
  }
}

/** Milliseconds for which a measurement is good enough: clocks drift by far less than a millisecond in them. */
const freshness = 60_000;

/** The storage's clock as this process knows it, so that not every look at it is a trip to the database. */
export class StorageClock {
  private ahead = 0;
  private measuredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly storage: Pick<Storage, "now">) {}

  /** Milliseconds since 1970. Inside a transaction it makes no request: the transaction may hold the only connection. */
  async now({ joined }: Pick<UnitOfWork, "joined">): Promise<number> {
    if (!joined) await this.measure();
    return Date.now() + this.ahead;
  }

  /** Compares the clocks, unless that was done a moment ago. Done before a transaction that will ask for the time. */
  async measure(): Promise<void> {
    const began = Date.now();
    if (began - this.measuredAt < freshness) return;
    const theirs = await this.storage.now();
    const ended = Date.now();
    this.ahead = Math.round(theirs - (began + ended) / 2);
    this.measuredAt = ended;
  }
}
