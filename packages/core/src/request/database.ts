import {
  defaultAnswerBytes,
  type Digests,
  type FileCipher,
  type FileStore,
  LruCache,
  noFileCipher,
  type ObjectId,
  type SessionPolicy,
  type Storage,
  type StoredObject,
  type ThrottlePolicy,
} from "@sallyport/storage";
import { DatabaseLimits, type RatePolicy, type Turns } from "../capacity/index.ts";
import { emptyLibrary, type MacroLibrary } from "../macros/index.ts";
import { ModelCache } from "../model/index.ts";
import { StoreTime } from "./store-time.ts";
import { type TurningRequest, TurnStorage } from "./turn-storage.ts";
import { OwnUnit, type UnitOfWork } from "./unit-of-work.ts";

/** How clients send a password: `md5` as its MD5 in hexadecimal digits, `none` as plain text. */
export type ClientHash = "md5" | "none";

/** Limits of files. Sizes are in bytes. */
export interface FilePolicy {
  /** Maximum size of one file. */
  readonly maxSize: number;
  /** Maximum size of all files of the database, unfinished uploads included. 0: unlimited. */
  readonly maxBytes: number;
  /** Maximum number of unfinished uploads of one user. 0: unlimited. */
  readonly maxOpenUploads: number;
  /** Milliseconds after which an unfinished upload expires. Each chunk starts the time again. */
  readonly uploadLifetime: number;
  /** Accepted extensions of file names, in lower case, without a dot. Empty: all. */
  readonly allowedExtensions: readonly string[];
  /** Extensions that are refused even if they are allowed. */
  readonly forbiddenExtensions: readonly string[];
  /** Whether secure sessions can create links. The bytes behind a link are not encrypted. */
  readonly linksOfSecureSessions: boolean;
}

export interface DevicePolicy {
  /** `registered` admits only devices that an administrator has registered. */
  readonly policy: "open" | "registered";
  /** Maximum number of known devices of a user. The least recently seen ones are forgotten. */
  readonly perUser: number;
}

export interface DatabasePolicy {
  /** Lifetimes of sessions, and their limits unless the database overrides them. */
  readonly sessions: SessionPolicy;
  /** Request rates, unless the database overrides them. Default: none. */
  readonly rates?: RatePolicy;
  /** Limits of failed attempts per user and per client address. */
  readonly throttle: { readonly user: ThrottlePolicy; readonly ip: ThrottlePolicy };
  /** Maximum number of objects that one session may lock. 0: unlimited. */
  readonly locks: { readonly perSession: number };
  /** Maximum number of objects that one user may have in the recycle bin. 0: unlimited. */
  readonly objects: { readonly recycleBinPerUser: number };
  readonly files: FilePolicy;
  readonly devices: DevicePolicy;
  /** `retention`: how long events are kept, in milliseconds. 0: for ever. */
  readonly audit: { readonly retention: number };
  /**
   * Explanations of refused requests. `retention`: how long they are kept, in milliseconds; 0 stores none. `perNetwork`:
   * maximum number of one network.
   */
  readonly explanations: { readonly retention: number; readonly perNetwork: number };
  /** `tombstones`: how long tombstones are kept, in milliseconds. 0: for ever. */
  readonly sync: { readonly tombstones: number };
  readonly clientHash: ClientHash;
  /** IANA time zone of `~StoreTime`. */
  readonly timeZone: string;
}

/** The limits of a database that are the same in every deployment. */
export interface PolicyLimits {
  readonly devicesPerUser: number;
  readonly openUploadsPerUser: number;
  /** Milliseconds after the last chunk until an unfinished upload expires. */
  readonly uploadLifetime: number;
  readonly explanationsPerNetwork: number;
  /** Delays after failed attempts of one user. The longest one depends on the deployment, and raises `resetAfter`. */
  readonly delaysOfUsers: Pick<ThrottlePolicy, "initialDelay" | "resetAfter">;
  /** Delays after failed attempts from one client address. */
  readonly delaysOfAddresses: Omit<ThrottlePolicy, "maxFailures">;
}

export const policyLimits: PolicyLimits = {
  // More than a person has. Clients choose device ids, so the list must end.
  devicesPerUser: 50,
  // More than a client uploads at once. Abandoned uploads expire.
  openUploadsPerUser: 100,
  // A device that is off overnight resumes in the morning.
  uploadLifetime: 24 * 3_600_000,
  // More refusals than support looks at, and a fiftieth of what a database keeps.
  explanationsPerNetwork: 200,
  // A person who mistypes waits for a moment. Each guess doubles the delay, so its beginning does not matter to a guesser.
  delaysOfUsers: { initialDelay: 1_000, resetAfter: 3_600_000 },
  // Many persons can share an address, so only the number of free failures depends on the deployment.
  delaysOfAddresses: { initialDelay: 1_000, maxDelay: 15 * 60_000, resetAfter: 3_600_000 },
};

export interface DatabaseSettings {
  /** First segment of the database's paths. Empty for the default database. */
  readonly alias: string;
  /** `databaseName` of log-in answers. */
  readonly name: string;
  readonly policy: DatabasePolicy;
  readonly storage: Storage;
  readonly files: FileStore;
  /** Default: none. */
  readonly fileCipher?: FileCipher;
  readonly digests: Digests;
  /** Maximum bytes of one answer. Default: `defaultAnswerBytes`. */
  readonly answerBytes?: number;
  /** Default: none. */
  readonly macros?: MacroLibrary;
  /** The turns at the connections of the storage. Default: requests take none. */
  readonly turns?: Turns;
  /** The clock of this process in milliseconds. Default: that of the machine. */
  readonly now?: () => number;
}

/** A served database with the caches of this process. */
export class Database {
  readonly alias: string;
  readonly name: string;
  readonly policy: DatabasePolicy;
  readonly storage: Storage;
  readonly files: FileStore;
  readonly fileCipher: FileCipher;
  /** For values that storage keeps as digests. */
  readonly digests: Digests;
  /** For requests without an open transaction. */
  readonly unit: UnitOfWork;
  readonly answerBytes: number;
  readonly models = new ModelCache();
  readonly counts: CountCache;
  readonly classes = new ClassCache();
  readonly storeTime: StoreTime;
  readonly macros: MacroLibrary;
  readonly clock: StorageClock;
  /** The clock of this process in milliseconds since 1970, for waits and caches. Rules use `clock`. */
  readonly now: () => number;
  readonly limits: DatabaseLimits;
  /** The database of all requests, which caches belong to; this one may be the view of a single request. */
  readonly whole: Database = this;
  /** The storage of a single request; `null` for all. */
  readonly taking: TurnStorage | null = null;
  private readonly turns: Turns | undefined;

  constructor(settings: DatabaseSettings) {
    const { storage, policy } = settings;
    this.alias = settings.alias;
    this.name = settings.name;
    this.policy = policy;
    this.storage = storage;
    this.files = settings.files;
    this.fileCipher = settings.fileCipher ?? noFileCipher;
    this.digests = settings.digests;
    this.unit = new OwnUnit(storage);
    this.answerBytes = settings.answerBytes ?? defaultAnswerBytes;
    this.macros = settings.macros ?? emptyLibrary;
    this.turns = settings.turns;
    this.now = settings.now ?? (() => Date.now());
    this.counts = new CountCache(this.now);
    this.clock = new StorageClock(storage, this.now);
    this.storeTime = StoreTime.of(policy.timeZone);
    this.limits = new DatabaseLimits(
      policy,
      storage.capabilities.severalProcesses ? storage.repositories.records : null,
      settings.now,
    );
  }

  /** Returns the same database for one request, whose calls take turns with those of others. */
  inTurns(request: TurningRequest): Database {
    if (this.turns === undefined) return this;
    const view = Object.create(this) as { -readonly [K in keyof Database]: Database[K] };
    const storage = new TurnStorage(this.storage, this.turns, request);
    view.storage = storage;
    view.unit = storage;
    view.taking = storage;
    return view as Database;
  }

  /** Runs reads that belong together, such as a list, its count and the targets of its references, in one turn. */
  inOneTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.taking === null ? work() : this.taking.hold("search", work);
  }

  /** Returns the same database with another limit of bytes per answer. */
  within(answerBytes: number): Database {
    return Object.create(this, { answerBytes: { value: answerBytes } }) as Database;
  }
}

/** Cache of object classes. A class never changes, but the database may be replaced: callers let storage verify it. */
export class ClassCache {
  private readonly recent = new LruCache<ObjectId, string>(10_000);

  of(id: ObjectId): string | undefined {
    return this.recent.get(id);
  }

  set({ id, className }: Pick<StoredObject, "id" | "className">): void {
    if (this.recent.get(id) !== className) this.recent.set(id, className);
  }
}

/** Counts up to this value are never cached. */
const exactUpTo = 5_000;
/** Maximum age of a larger count, in milliseconds. */
const maximumAge = 10_000;
const maximumEntries = 1_000;

export class CountCache {
  private readonly counts = new Map<string, { count: number; at: number }>();

  constructor(private readonly now: () => number = () => Date.now()) {}

  /** Returns the cached count of the key, or the result of `count`. */
  async get(key: string, count: () => Promise<number>): Promise<number> {
    const cached = this.counts.get(key);
    if (cached !== undefined && this.now() - cached.at < maximumAge) return cached.count;
    const at = this.now();
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

/** Validity of a measurement, in milliseconds. Clocks drift by far less than a millisecond in this time. */
const freshness = 60_000;

/** The storage's clock, estimated from the process's clock to save round trips to the database. */
export class StorageClock {
  private ahead = 0;
  private measuredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly storage: Pick<Storage, "now">,
    private readonly ours: () => number = () => Date.now(),
  ) {}

  /** Returns milliseconds since 1970. Runs no query inside a transaction, which may hold the only connection. */
  async now({ joined }: Pick<UnitOfWork, "joined">): Promise<number> {
    if (!joined) await this.measure();
    return this.ours() + this.ahead;
  }

  /** Compares the clocks, unless the last measurement is still valid. Call it before a transaction that needs the time. */
  async measure(): Promise<void> {
    const began = this.ours();
    if (began - this.measuredAt < freshness) return;
    const theirs = await this.storage.now();
    const ended = this.ours();
    this.ahead = Math.round(theirs - (began + ended) / 2);
    this.measuredAt = ended;
  }
}
