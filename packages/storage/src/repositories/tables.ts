import type { Digest } from "../digests/index.ts";
import type { ClassDefinition } from "../entities/class-definition.ts";
import { type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { Session } from "../entities/session.ts";
import type { Links, StoredObject } from "../entities/stored-object.ts";
import { table, type Table } from "../kernel/table.ts";
import { type Account, type AccountId, realmOf } from "../ports/account-repository.ts";
import type { AppKey } from "../ports/app-key-repository.ts";
import type { RecordedAuditEvent } from "../ports/audit-repository.ts";
import type { Lock } from "../ports/lock-repository.ts";
import type { StoredRecord } from "../ports/record-repository.ts";
import type { AttributeIndex } from "../ports/storage.ts";
import type { FormerReadersEntry } from "./writes/object-writer.ts";

/** All times are milliseconds since 1970, by the clock of the storage. A time that never comes sorts behind all others. */
const never = Number.MAX_VALUE;

export interface SessionRow {
  readonly digest: Digest;
  readonly session: Omit<Session, "channel">;
  /** The session is valid only with this version of the secret of its account. */
  readonly secretVersion: number;
  readonly address: string | null;
  readonly openedAt: number;
  /** The stamp of its opening: the order of age. */
  readonly opened: number;
  readonly expiresAt: number;
  /** The absolute expiry, which a touch never extends. */
  readonly endsAt: number;
}

export const sessionTable = table<SessionRow>()("sessions", ({ digest }) => [digest], {
  byExpiry: ({ expiresAt }) => [[expiresAt]],
  byUser: ({ session, expiresAt }) => [[session.userId, expiresAt]],
  byDevice: ({ session }) => (session.deviceId === null ? [] : [[session.deviceId]]),
  byAppName: ({ session }) => [...new Set([...session.appNames, ...session.reservedNames])].map((name) => [name]),
  /** By the account or the link of the log-in. */
  byMethod: ({ session: { authenticationMethod: by } }) =>
    by.kind === "custom" ? [["custom", by.accountId]] : by.kind === "provider" ? [["link", by.link.id]] : [],
});

/** The channel of a secure session. Ends with it. Numbers beyond 2^53 are texts. */
export interface ChannelRow {
  readonly digest: Digest;
  readonly wrappedKey: string;
  readonly ivPrefix: readonly number[];
  /** The next outgoing number to reserve, decimal. */
  readonly nextOut: string;
  /** The highest incoming number, decimal; -1 before the first. */
  readonly highest: string;
  /** The accepted numbers, hexadecimal: bit n is the n-th below the highest. */
  readonly accepted: string;
}

export const channelTable = table<ChannelRow>()("channels", ({ digest }) => [digest]);

/** A cipher block of a secure log-in. */
export interface CipherBlockRow {
  readonly block: Digest;
  readonly clientKey: Digest;
  /** Id of the server key that it is encrypted for. */
  readonly keyId: string;
  readonly uses: number;
  readonly firstUsedAt: number;
}

export const cipherBlockTable = table<CipherBlockRow>()("cipherBlocks", ({ block }) => [block], {
  byKey: ({ keyId, firstUsedAt }) => [[keyId, firstUsedAt]],
});

export interface AccountRow extends Account {
  readonly confusableKey: string;
}

export const accountTable = table<AccountRow>()("accounts", ({ id }: { readonly id: AccountId }) => [id], {
  byName: ({ id, loginName }) => [[realmOf(id) ?? "", loginName]],
  byConfusableKey: ({ id, confusableKey }) => [[realmOf(id) ?? "", confusableKey]],
  /** Custom accounts, by the user that they act as. */
  byUser: ({ id, userId }) => (realmOf(id) === "custom" ? [[userId]] : []),
  /** Accounts of database users. */
  byUserNumber: ({ id, userId }) => (realmOf(id) === "custom" ? [] : [[objectNumber(userId)]]),
  /** Enabled administrators. */
  administrators: ({ administrator, disabled }) => (administrator && !disabled ? [[]] : []),
});

export interface AppKeyRow extends AppKey {
  readonly digest: Digest;
}

export const appKeyTable = table<AppKeyRow>()("appKeys", ({ name }: Pick<AppKey, "name">) => [name], {
  byDigest: ({ digest }) => [[digest]],
  /** Enabled ones only. */
  byOrigin: ({ enabled, origins }) => (enabled ? origins.map((origin) => [origin]) : []),
});

export const auditTable = table<RecordedAuditEvent>()("audit", ({ sequence }) => [sequence]);

/** Equal attempts, counted until they become an event. */
export interface TallyRow extends Omit<RecordedAuditEvent, "sequence"> {
  readonly key: string;
}

export const tallyTable = table<TallyRow>()("tallies", ({ key }) => [key], { bySince: ({ since }) => [[since]] });

export interface ClassRow {
  readonly definition: ClassDefinition;
  /** Its place in the model. */
  readonly order: number;
}

export const classTable = table<ClassRow>()("classes", ({ definition }) => [definition.name], {
  byOrder: ({ order }) => [[order]],
});

/** A live object. */
export interface ObjectRow {
  readonly object: StoredObject;
  /** The targets of its attributes. */
  readonly links: Links;
  /** The stamp of its last change. */
  readonly stamp: number;
  /** The stamp of its creation; 0 after an import or a restoration. */
  readonly createdStamp: number;
}

export const objectTable = table<ObjectRow>()("objects", ({ object }) => [objectNumber(object.id)], {
  byClass: ({ object }) => [[object.className]],
  byChange: ({ object, stamp }) => [[object.className, stamp]],
  byTarget: ({ links }) => [...new Set(Object.values(links).flat())].map((target) => [objectNumber(target)]),
});

/** A deleted object, as of its deletion. */
export interface TombstoneRow {
  /** Without attributes if it cannot be restored. */
  readonly object: Omit<StoredObject, "attributes"> & Partial<Pick<StoredObject, "attributes">>;
  /** The root of the deletion. */
  readonly root: ObjectId;
  /** The user who deleted it; `null` if unknown. */
  readonly deletedBy: ObjectId | null;
  /** The stamp of its last change. */
  readonly stamp: number;
  /** See `ObjectRow`. */
  readonly createdStamp: number;
}

const isRecycled = ({ object }: TombstoneRow) => object.attributes !== undefined;

export const tombstoneTable = table<TombstoneRow>()("tombstones", ({ object }) => [objectNumber(object.id)], {
  byChange: ({ object, stamp }) => [[object.className, stamp]],
  /** Recycled objects, by class. */
  byClass: (row) => (isRecycled(row) ? [[row.object.className]] : []),
  /** Recycled objects, by the root of their deletion. */
  byRoot: (row) => (isRecycled(row) ? [[objectNumber(row.root)]] : []),
  /** Recycled objects, by the user who deleted them. */
  byDeleter: (row) => (isRecycled(row) && row.deletedBy !== null ? [[row.deletedBy]] : []),
  /** The roots in the recycle bin by the time of the deletion. */
  byTime: (row) => (isRecycled(row) && row.root === row.object.id ? [[row.object.storedAt]] : []),
  /** Permanently deleted objects by the time of the deletion. */
  byAge: (row) => (isRecycled(row) ? [] : [[row.object.storedAt]]),
});

/** The readers of an object before the transaction of a stamp changed them, or restored the object. */
export const formerReadersTable = table<FormerReadersEntry>()(
  "formerReaders",
  ({ id, stamp }) => [objectNumber(id), stamp],
  {
    byChange: ({ className, stamp }) => [[className, stamp]],
    byAge: ({ changedAt, stamp }) => [[changedAt, stamp]],
  },
);

/** The object number of every UUID that was ever used. */
export interface UuidRow extends Pick<StoredObject, "id" | "uuid"> {}

export const uuidTable = table<UuidRow>()("uuids", ({ uuid }) => [uuid], { byId: ({ id }) => [[objectNumber(id)]] });

export interface LockRow extends Omit<Lock, "userId"> {
  readonly id: ObjectId;
}

export const lockTable = table<LockRow>()("locks", ({ id }) => [objectNumber(id)], {
  bySession: ({ session }) => [[session]],
});

export interface RecordRow extends Omit<StoredRecord, "age"> {
  readonly kind: string;
  /** `null` for a permanent record. */
  readonly expiresAt: number | null;
  /** `null` for a record that was not claimed since it was put. */
  readonly dueAt: number | null;
  readonly claims: number;
}

export const recordTable = table<RecordRow>()("records", ({ kind, id }) => [kind, id], {
  byOwner: ({ owner, kind }) => (owner === null ? [] : [[owner, kind]]),
  /** By kind and expiry, so that a count needs no row. */
  byKind: ({ kind, expiresAt }) => [[kind, expiresAt ?? never]],
  byAge: ({ kind, createdVersion }) => [[kind, createdVersion]],
  byExpiry: ({ expiresAt }) => (expiresAt === null ? [] : [[expiresAt]]),
  permanent: ({ expiresAt }) => (expiresAt === null ? [[]] : []),
});

/** The failures of a key. */
export interface ThrottleRow {
  readonly key: string;
  readonly failures: number;
  readonly expiresAt: number;
  /** Start of the current delay: a failure or a reserved attempt. */
  readonly delayedAt: number;
}

export const throttleTable = table<ThrottleRow>()("throttle", ({ key }) => [key], {
  byExpiry: ({ expiresAt }) => [[expiresAt]],
});

/** An exemption of a member from the failures of a group. */
export interface ExemptionRow {
  readonly group: string;
  readonly member: string;
  readonly expiresAt: number;
  /** The stamp of the grant: the order of age. */
  readonly granted: number;
}

export const exemptionTable = table<ExemptionRow>()("exemptions", ({ group, member }) => [group, member], {
  byGroup: ({ group, granted }) => [[group, granted]],
  byExpiry: ({ expiresAt }) => [[expiresAt]],
});

/** The highest number of each series, and the settings of the database. */
export interface NumberRow {
  readonly series: Series;
  readonly number: number;
}

export type Series =
  /** The time until which a process aligns the indexes. */
  | "aligning"
  | "appKey"
  | "audit"
  | "class"
  /** 1 while an import runs, or after one that was killed. */
  | "importing"
  /** 1 in maintenance mode. */
  | "maintenance"
  | "modelGeneration"
  | "object"
  | "record"
  | "settingsGeneration"
  /** The distance from the stamps of the kernel to those of the storage, which are above imported ones. */
  | "stampOffset"
  /** The highest stamp of a forgotten change. */
  | "sweptStamp";

export const numberTable = table<NumberRow>()("numbers", ({ series }: Pick<NumberRow, "series">) => [series]);

/** An index of the values of an attribute. */
export interface IndexRow extends AttributeIndex {
  /** Whether it has the values of all objects. */
  readonly isReady: boolean;
}

export const indexKey = ({ className, attribute, type }: AttributeIndex) => [className, attribute, type];

export const indexTable = table<IndexRow>()("indexes", indexKey);

/** The value of an object in an index. */
export interface ValueRow extends Pick<AttributeIndex, "className" | "attribute">, Pick<StoredObject, "id"> {
  /** 0 for a missing value and null. */
  readonly rank: 0 | 1;
  /** The beginning of a text; a boolean as 0 or 1. */
  readonly value: string | number;
}

export const valueTable = table<ValueRow>()("values", ({ className, attribute, rank, value, id }) => [
  className,
  attribute,
  rank,
  value,
  objectNumber(id),
]);

/** All tables of a database. */
export const tables: readonly Table<never, never>[] = [
  accountTable,
  appKeyTable,
  auditTable,
  channelTable,
  cipherBlockTable,
  classTable,
  exemptionTable,
  formerReadersTable,
  indexTable,
  lockTable,
  numberTable,
  objectTable,
  recordTable,
  sessionTable,
  tallyTable,
  throttleTable,
  tombstoneTable,
  uuidTable,
  valueTable,
] as unknown as readonly Table<never, never>[];
