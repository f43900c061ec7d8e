import { type AppKey, LruCache, type RecordKind, type RecordRepository, ServiceError } from "@sallyport/storage";

/** Every runtime has this clock. Unlike the clock of `Date`, it only moves forward. */
declare const performance: { now(): number };

/** Keys by which requests are counted: client network, app key, session. */
export const rateKinds = ["address", "appKey", "session"] as const;
export type RateKind = (typeof rateKinds)[number];

const rateNames: Readonly<Record<RateKind, string>> = { address: "address", appKey: "app key", session: "session" };

/** Maximum rate of requests with one key. */
export interface RateLimit {
  /** Requests per minute in the long run; 0: unlimited. */
  readonly perMinute: number;
  /** Requests at once after a pause; 0: as many as `perMinute`. */
  readonly burst: number;
}

export type RatePolicy = Readonly<Record<RateKind, RateLimit>>;

/** The keys of one request; `null` for a key that it does not have. */
export type RateKeys = Readonly<Record<RateKind, string | null>>;

/** Called when requests of a key begin to be refused; again after a minute at the earliest. */
export type OnRefusal = (kind: RateKind, key: string) => void;

/**
 * Requests with a key on all servers: the milliseconds from the creation of the record until its bucket is full. The
 * record outlives this time, because servers report late.
 */
const usedRateKind: RecordKind<number> = "requestRate";

/** Servers can lose to one another this often in a row. */
const attempts = 10;
/** Minimum number of keys per kind that a server keeps. Clients choose addresses, so the number is limited. */
const keptKeys = 10_000;
/** Milliseconds. */
const refusalInterval = 60_000;
/** Milliseconds for which an admitted app key allows an early refusal. */
const earlyTime = 250;
/** Milliseconds without reports after a failed one. */
const failurePause = 1_000;
/** Milliseconds. Sums of fractions of a millisecond are inexact. */
const tolerance = 0.001;

/**
 * Limits the rate of requests by token buckets, without a statement per request. A server counts the requests of a key
 * in memory and takes their tokens from the database in runs: after an eighth of the burst it reports them and learns
 * what all servers used. Requests wait for a report only if a quarter of the burst is unreported. One server is exact; N
 * servers together differ from it by at most N quarters of a burst, which are not added up.
 */
export class RequestRates {
  private readonly tables = new Map<RateKind, RateTable>();
  /** Whether any rate is limited. */
  active = false;
  /** App keys admitted within `earlyTime`, by their digest. */
  private readonly admitted = new Map<string, { readonly appKey: AppKey | null; readonly until: number }>();
  /** Refused requests by kind. */
  readonly refused: Record<RateKind, number> = { address: 0, appKey: 0, session: 0 };

  /** @param records `null` if no other process uses the database */
  constructor(
    private readonly records: RecordRepository | null,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Sets the limits. A changed limit begins with full buckets. */
  apply(policy: RatePolicy): void {
    for (const kind of rateKinds) {
      const limit = policy[kind];
      if (this.tables.get(kind)?.hasLimit(limit) === true) continue;
      if (limit.perMinute === 0) this.tables.delete(kind);
      else this.tables.set(kind, new RateTable(kind, limit));
    }
    this.active = this.tables.size > 0;
    this.admitted.clear();
  }

  /**
   * Counts as many requests with all their keys. Throws 800, without counting any, if a key has too few tokens left.
   * `Retry-After` lets a repetition find `again` tokens.
   */
  take(keys: RateKeys, onRefusal: OnRefusal, count = 1, again = count): void | Promise<void> {
    const now = this.now();
    const counted = this.bucketsOf(keys);
    this.refuse(counted, { now, count, again, onRefusal });
    for (const { bucket, table } of counted)
      if (bucket.unreported >= table.run && this.mayReport(bucket, now))
        // All waiting requests look again in the order of their arrival.
        return this.report(bucket, table).then(() => this.take(keys, onRefusal, count, again));
    for (const { bucket, table } of counted) {
      bucket.take(table, now, count);
      if (bucket.unreported >= table.run / 2 && this.mayReport(bucket, now)) void this.report(bucket, table);
    }
  }

  /** Throws 800 if a key has no token left. Counts nothing. */
  check(keys: RateKeys, onRefusal: OnRefusal): void {
    this.refuse(this.bucketsOf(keys), { now: this.now(), count: 1, again: 1, onRefusal });
  }

  /** Notes that an app key was admitted; `null` for a request without one. */
  admit(digest: string, appKey: AppKey | null): void {
    this.admitted.set(digest, { appKey, until: this.now() + earlyTime });
  }

  /** The app key of this digest if it was admitted within `earlyTime`. */
  admittedKey(digest: string): { readonly appKey: AppKey | null } | undefined {
    const admission = this.admitted.get(digest);
    return admission !== undefined && this.now() < admission.until ? admission : undefined;
  }

  private bucketsOf(keys: RateKeys): CountedKey[] {
    const counted: CountedKey[] = [];
    for (const table of this.tables.values()) {
      const key = keys[table.kind];
      if (key !== null) counted.push({ table, bucket: table.bucketOf(key) });
    }
    return counted;
  }

  private refuse(counted: readonly CountedKey[], { now, count, again, onRefusal }: Demand): void {
    let longest = 0;
    let exceeded: RateKind = "address";
    for (const { bucket, table } of counted) {
      if (bucket.waitFor(table, now, count) === 0) continue;
      const wait = bucket.waitFor(table, now, again);
      if (wait > longest) [longest, exceeded] = [wait, table.kind];
      this.refused[table.kind] += 1;
      if (now - bucket.refusalAt < refusalInterval) continue;
      bucket.refusalAt = now;
      onRefusal(table.kind, bucket.key);
    }
    if (longest === 0) return;
    const detail = `The request exceeds the rate of its ${rateNames[exceeded]}.`;
    throw new ServiceError(800, { detail, retryAfter: Math.ceil(longest / 1000) });
  }

  private mayReport({ reportAfter }: Bucket, now: number): boolean {
    return this.records !== null && now >= reportAfter;
  }

  /** Reports the unreported requests of a key, one report at a time. Never rejects: without reports, a server counts alone. */
  private report(bucket: Bucket, table: RateTable): Promise<void> {
    bucket.reporting ??= this.send(bucket, table)
      .catch(() => {
        bucket.reportAfter = this.now() + failurePause;
      })
      .finally(() => {
        bucket.reporting = null;
      });
    return bucket.reporting;
  }

  private async send(bucket: Bucket, table: RateTable): Promise<void> {
    const { interval } = table;
    const batch = bucket.unsent;
    bucket.unsent = new Requests();
    bucket.sending = batch.count;
    try {
      const began = this.now();
      const left = await this.addToUsed(table, bucket.key, batch, began);
      // The database read its value after `began`. A later time would refuse too much.
      bucket.fullAt = Math.max(bucket.fullAt, began + left + bucket.unsent.count * interval);
    } catch (error) {
      bucket.unsent = batch.followedBy(bucket.unsent, interval);
      throw error;
    } finally {
      bucket.sending = 0;
    }
  }

  /** Adds requests to those of all servers. Returns the milliseconds until the bucket is full. */
  private async addToUsed(table: RateTable, key: string, requests: Requests, now: number): Promise<number> {
    const { interval, capacity } = table;
    const records = this.records as RecordRepository;
    const id = `${table.id} ${key}`;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const [record] = await records.get(usedRateKind, [id]);
      const { age, value } = record ?? { age: 0, value: Number.NEGATIVE_INFINITY };
      const used = Math.max(value + requests.count * interval, age + requests.fullAt - now);
      const lifetime = Math.max(1, Math.ceil(used - age + capacity));
      const options = { lifetime, ifVersion: record?.version ?? ("none" as const) };
      if ((await records.put(usedRateKind, id, used, options)) === "stored") return used - age;
    }
    throw new ServiceError(706, { detail: "Too many servers report requests of one key." });
  }
}

/** Requests that one report contains. */
class Requests {
  /** `fullAt`: the time at which they alone would have left the bucket full again. */
  constructor(
    public count = 0,
    public fullAt = Number.NEGATIVE_INFINITY,
  ) {}

  add(count: number, now: number, interval: number): void {
    this.count += count;
    this.fullAt = Math.max(this.fullAt, now) + count * interval;
  }

  followedBy({ count, fullAt }: Requests, interval: number): Requests {
    return new Requests(this.count + count, Math.max(this.fullAt + count * interval, fullAt));
  }
}

/** The tokens of one request. */
interface Demand {
  readonly now: number;
  /** Taken from each bucket. */
  readonly count: number;
  /** Taken by a repetition. */
  readonly again: number;
  readonly onRefusal: OnRefusal;
}

interface CountedKey {
  readonly table: RateTable;
  readonly bucket: Bucket;
}

/** The buckets of one kind under one limit. */
class RateTable {
  /** Milliseconds in which one token is earned. */
  readonly interval: number;
  /** Milliseconds in which an empty bucket fills. */
  readonly capacity: number;
  /** Maximum number of unreported requests. */
  readonly run: number;
  /** Begins the ids of the records. A changed limit has other records. */
  readonly id: string;
  private readonly buckets = new LruCache<string, Bucket>(keptKeys);

  constructor(
    readonly kind: RateKind,
    private readonly limit: RateLimit,
  ) {
    const { perMinute, burst } = limit;
    const tokens = burst === 0 ? perMinute : burst;
    this.interval = 60_000 / perMinute;
    this.capacity = tokens * this.interval;
    this.run = Math.ceil(tokens / 4);
    this.id = `${kind} ${perMinute} ${tokens}`;
  }

  hasLimit({ perMinute, burst }: RateLimit): boolean {
    return perMinute === this.limit.perMinute && burst === this.limit.burst;
  }

  bucketOf(key: string): Bucket {
    const existing = this.buckets.get(key);
    if (existing !== undefined) return existing;
    const bucket = new Bucket(key);
    this.buckets.set(key, bucket);
    return bucket;
  }
}

/** The requests of one key as far as this server knows them. Times are those of its clock. */
class Bucket {
  /** Time at which the bucket is full again. */
  fullAt = 0;
  unsent = new Requests();
  /** Number of requests in the running report. */
  sending = 0;
  reporting: Promise<void> | null = null;
  reportAfter = 0;
  refusalAt = Number.NEGATIVE_INFINITY;

  constructor(readonly key: string) {}

  /** Number of requests that the database may not know. */
  get unreported(): number {
    return this.sending + this.unsent.count;
  }

  /** Milliseconds until there are as many tokens; 0 if there are. */
  waitFor({ interval, capacity }: RateTable, now: number, count: number): number {
    const wait = Math.max(this.fullAt, now) + count * interval - capacity - now;
    return wait > tolerance ? wait : 0;
  }

  take({ interval }: RateTable, now: number, count: number): void {
    this.fullAt = Math.max(this.fullAt, now) + count * interval;
    this.unsent.add(count, now, interval);
  }
}
