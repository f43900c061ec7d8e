import type {
  AccountId,
  AppKey,
  ClassDefinition,
  Digest,
  Links,
  Lock,
  RecordedAuditEvent,
  StoredObject,
} from "@sallyport/core";
import type { ChannelRecord } from "./channel-record.ts";
import type {
  AccountRecord,
  AuditTally,
  CipherBlockRecord,
  TombstoneRecord,
  KeptRecord,
  SessionRecord,
} from "./records.ts";
import { Table } from "./table.ts";
import type { ThrottleRecord } from "./throttle-record.ts";

/** What is counted. */
type Series = "appKey" | "audit" | "macroGeneration" | "modelGeneration" | "object" | "record" | "watermark";

/** Everything that the database holds. */
export type State = Readonly<ReturnType<typeof emptyState>>;

export function emptyState() {
  return {
    accounts: new Table<AccountId, AccountRecord>(),
    /** Ids by realm and log-in name, and by realm and confusable key. */
    accountNames: new Table<string, AccountId>(),
    appKeys: new Table<string, AppKey>(),
    /** Names of app keys by digest. */
    appKeyDigests: new Table<Digest, string>(),
    audit: new Table<number, RecordedAuditEvent>(),
    auditTallies: new Table<string, AuditTally>(),
    /** By the digest of their session. */
    channels: new Table<Digest, ChannelRecord>(),
    cipherBlocks: new Table<Digest, CipherBlockRecord>(),
    classes: new Table<string, ClassDefinition>(),
    /** By object number. */
    tombstones: new Table<number, TombstoneRecord>(),
    /** By object number, what its attributes point to. */
    links: new Table<number, Links>(),
    /** By object number; of sessions that are over, too. */
    locks: new Table<number, Lock>(),
    numbers: new Table<Series, number>(),
    /** By object number, in the order in which they came, or came back. */
    objects: new Table<number, StoredObject>(),
    /** Object numbers by UUID, of objects that are gone, too. */
    uuids: new Table<string, number>(),
    /** By kind and id. */
    records: new Table<string, KeptRecord>(),
    sessions: new Table<Digest, SessionRecord>(),
    /** By object number, the stamp of the last change. */
    stamps: new Table<number, number>(),
    switches: new Table<"maintenance", boolean>(),
    throttle: new Table<string, ThrottleRecord>(),
  };
}

/** A state that starts as the given one and keeps its changes to itself. */
export function forkState(state: State): State {
  const tables = Object.entries(state) as [string, Table<unknown, NonNullable<unknown>>][];
  return Object.fromEntries(tables.map(([name, table]) => [name, table.fork()])) as unknown as State;
}

/** Hands the changes of a fork down to the state that it was forked from. */
export function commitState(fork: State): void {
  for (const table of Object.values(fork) as Table<unknown, NonNullable<unknown>>[]) table.commit();
}

/** Hands down what a transaction has done, or a call outside of one; what is done next has another stamp. */
export function keepState(fork: State): void {
  nextNumber(fork, "watermark");
  commitState(fork);
}

/** The stamp of what is written before the state is next kept. */
export function writeStamp({ numbers }: State): number {
  return (numbers.get("watermark") ?? 0) + 1;
}

/** The next number of a series that starts with 1. */
export function nextNumber(state: State, series: Series): number {
  const number = (state.numbers.get(series) ?? 0) + 1;
  state.numbers.set(series, number);
  return number;
}

/** The next number of objects or versions; it is not given out again when what it was given to is taken back. */
export function nextNumberForGood({ numbers }: Pick<State, "numbers">, series: "object" | "record"): number {
  const number = (numbers.get(series) ?? 0) + 1;
  numbers.setForGood(series, number);
  return number;
}
