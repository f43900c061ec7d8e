import type {
  AccountId,
  AppKey,
  ClassDefinition,
  Digest,
  FormerReaders,
  Links,
  Lock,
  RecordedAuditEvent,
  StoredObject,
} from "@sallyport/storage";
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

/** The counters. */
type Series =
  | "appKey"
  | "audit"
  | "settingsGeneration"
  | "modelGeneration"
  | "object"
  | "record"
  | "sweptStamp"
  | "watermark";

/** The whole content of the database. */
export type State = Readonly<ReturnType<typeof emptyState>>;

export function emptyState() {
  return {
    accounts: new Table<AccountId, AccountRecord>(),
    /** Account ids by realm and login name, and by realm and confusable key. */
    accountNames: new Table<string, AccountId>(),
    appKeys: new Table<string, AppKey>(),
    /** App key names by digest. */
    appKeyDigests: new Table<Digest, string>(),
    audit: new Table<number, RecordedAuditEvent>(),
    auditTallies: new Table<string, AuditTally>(),
    /** By session digest. */
    channels: new Table<Digest, ChannelRecord>(),
    cipherBlocks: new Table<Digest, CipherBlockRecord>(),
    classes: new Table<string, ClassDefinition>(),
    /** The stamps of creations, by object number. Only those of running transactions matter. */
    createdStamps: new Table<number, number>(),
    /** By object number, in the order of stamps. */
    formerReaders: new Table<number, readonly FormerReaders[]>(),
    /** By object number. */
    tombstones: new Table<number, TombstoneRecord>(),
    /** The targets of attributes, by object number. */
    links: new Table<number, Links>(),
    /** By object number; includes locks of expired sessions. */
    locks: new Table<number, Lock>(),
    numbers: new Table<Series, number>(),
    /** By object number, in the order of insertion or restoration. */
    objects: new Table<number, StoredObject>(),
    /** Object numbers by UUID, including deleted and forgotten objects. */
    uuids: new Table<string, number>(),
    /** By kind and id. */
    records: new Table<string, KeptRecord>(),
    sessions: new Table<Digest, SessionRecord>(),
    /** The stamp of the last change, by object number. */
    stamps: new Table<number, number>(),
    switches: new Table<"maintenance", boolean>(),
    throttle: new Table<string, ThrottleRecord>(),
  };
}

/** A copy-on-write fork of the state. */
export function forkState(state: State): State {
  const tables = Object.entries(state) as [string, AnyTable][];
  return Object.fromEntries(tables.map(([name, table]) => [name, table.fork()])) as unknown as State;
}

/** Applies the changes of a fork to its base. */
export function commitState(fork: State): void {
  for (const table of Object.values(fork) as AnyTable[]) table.commit();
}

/** Commits a transaction or a single call, and advances the stamp. */
export function keepState(fork: State): void {
  nextNumber(fork, "watermark");
  commitState(fork);
}

type AnyTable = Table<unknown, NonNullable<unknown>>;

/** A copy of a state without a base. Values are immutable, so only the tables are copied. */
export function copyState(state: State): State {
  const tables = Object.entries(state) as [string, AnyTable][];
  return Object.fromEntries(tables.map(([name, table]) => [name, table.copy()])) as unknown as State;
}

/** Replaces the content of a state with that of a copy. */
export function restoreState(state: State, copy: State): void {
  for (const [name, table] of Object.entries(state) as [keyof State, AnyTable][])
    table.replace(copy[name] as unknown as AnyTable);
}

/** The stamp of writes until the next commit. */
export function writeStamp({ numbers }: State): number {
  return (numbers.get("watermark") ?? 0) + 1;
}

/** The next number of a series that starts with 1. */
export function nextNumber(state: State, series: Series): number {
  const number = (state.numbers.get(series) ?? 0) + 1;
  state.numbers.set(series, number);
  return number;
}

/** The next number of objects or versions. A rollback does not make it available again. */
export function reserveNumber({ numbers }: Pick<State, "numbers">, series: "object" | "record"): number {
  const number = (numbers.get(series) ?? 0) + 1;
  numbers.setPermanently(series, number);
  return number;
}
