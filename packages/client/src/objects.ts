import type {
  LockData,
  ObjectCountData,
  ObjectData,
  ObjectListData,
  Serialization,
  TrashData,
} from "@sallyport/contract";
import type { CallOptions, OnceOptions } from "./requests.ts";
import type { ConditionOptions } from "./version.ts";

/** Attributes of a class, typed by the caller. */
export type Attributes = object;

/** An object of an answer: meta-fields, its UUID among them, and the attributes that the caller expects. */
export type BusinessObject<Known extends Attributes = Attributes> = ObjectData & { readonly "~UUID": string } & Known;

/** An object of class `File`. */
export type FileObject = BusinessObject<{
  readonly Name: string;
  /** Number of bytes. */
  readonly Size: number;
  readonly MediaType: string | null;
  /** 64 lowercase hex digits. */
  readonly Sha256: string;
}>;

/** A page of a list that counts nothing (`count: "none"`). */
export type UncountedPage<Known extends Attributes = Attributes> = Pick<ObjectListData, "~Cursor"> & {
  readonly "~Elements": BusinessObject<Known>[];
};

/** A page of a list or of a collection. */
export type ObjectPage<Known extends Attributes = Attributes> = UncountedPage<Known> &
  Pick<ObjectListData, "~CountCapped"> & {
    /** Number of matching objects. */
    readonly "~Count": number;
    /** Number of objects of the class that the user can read. */
    readonly "~UnfilteredCount": number;
  };

/** Number of objects. `capped`: the time was over first, and there are at least so many. */
export type ObjectCount = ObjectCountData;

/** A page of the recycle bin. */
export type TrashPage = TrashData;

/** A deleted object. `~StoreTime` is the time of the deletion, `~DeletedBy` the id of the user; `null` if unknown. */
export type TrashElement = TrashPage["~Elements"][number];

/** A value to compare with. References and files are compared by id or UUID of their object. */
export type Operand = string | number | boolean | null | Date;

/** Conditions on an attribute, combined with AND. Only `$exists` distinguishes a missing attribute from `null`. */
export interface Operators {
  /** Equal. For a `json` attribute, any JSON. */
  readonly $eq?: unknown;
  readonly $ne?: unknown;
  readonly $gt?: Operand | undefined;
  readonly $gte?: Operand | undefined;
  readonly $lt?: Operand | undefined;
  readonly $lte?: Operand | undefined;
  /** One of at most 1,000 values. */
  readonly $in?: readonly unknown[] | undefined;
  /** None of at most 1,000 values. */
  readonly $nin?: readonly unknown[] | undefined;
  /** A case-sensitive text pattern: `%` matches any characters, `_` matches one, `\` escapes them. */
  readonly $like?: string | undefined;
  /** A substring, or the id or UUID of a member of a collection. */
  readonly $contains?: string | undefined;
  /** Whether the attribute is present; `null` counts as present. */
  readonly $exists?: boolean | undefined;
}

/** A filter. All its members must match. */
export interface Filter {
  readonly $and?: readonly Filter[] | undefined;
  readonly $or?: readonly Filter[] | undefined;
  readonly $not?: Filter | undefined;
  /** Value or operators for an attribute, a reference path (`Customer.City`) or a meta-field (`~StoreTime`). */
  readonly [path: string]: Operand | Operators | Filter | readonly Filter[] | undefined;
}

/** Selects objects of a class. */
export interface MatchQuery {
  readonly where?: Filter | undefined;
  /** At most 1,000 ids or UUIDs. Only matching objects among them are selected. */
  readonly oids?: readonly string[] | undefined;
}

/** Selects and sorts objects of a class. */
export interface ObjectQuery extends MatchQuery {
  /** Attributes, paths or meta-fields; the prefix `-` sorts descending. Ties are sorted by id. */
  readonly sort?: readonly string[] | undefined;
}

export interface ObjectOptions extends CallOptions {
  /** Output format: `{ depth: 1 }`, `{ type: "custom", fields: ["Name", "Customer.~UUID"] }`. `oid`: only the id. */
  readonly serialization?: Serialization | undefined;
}

export interface CountOptions extends CallOptions {
  /** Objects to count. Default: all. */
  readonly query?: MatchQuery | undefined;
  /** `capped` stops counting at 5,000, which is cheaper for large results. */
  readonly count?: "capped" | undefined;
}

export interface ListOptions extends ObjectOptions {
  /** Objects to list, and their order. Default: all, by id. */
  readonly query?: ObjectQuery | undefined;
  /** Objects per page. Default: 50, maximum: 1,000. */
  readonly perPage?: number | undefined;
  /** `capped` stops counting at 5,000, which is cheaper for large results. `~CountCapped` reports it. */
  readonly count?: "capped" | undefined;
}

export interface PageOptions extends ListOptions {
  /** Page number, from 0. */
  readonly page?: number | undefined;
  /** `~Cursor` of the previous page, instead of `page`. The cost is constant, and no object is skipped or repeated. */
  readonly cursor?: string | undefined;
}

export interface UncountedPageOptions extends Omit<PageOptions, "count"> {
  readonly count: "none";
}

export interface CountWithinOptions extends CallOptions {
  /** Objects to count. Default: all. */
  readonly query?: MatchQuery | undefined;
  /** Milliseconds after which the server stops counting, at most 60,000. */
  readonly limit: number;
}

export interface TrashOptions extends CallOptions {
  /** Objects per page. Default: 50, maximum: 1,000. */
  readonly perPage?: number | undefined;
  /** `~Cursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined;
}

export interface CreateOptions extends ObjectOptions, OnceOptions {}

export interface UpdateOptions extends ObjectOptions, ConditionOptions {}

export interface LockOptions extends CallOptions {
  /** Takes over the lock of another session, whose writes then fail with 713. Administrators only. */
  readonly takeOver?: boolean | undefined;
}

export interface ReadersOptions extends CallOptions, ConditionOptions {}

export interface DeleteOptions extends CallOptions, ConditionOptions {
  /** Moves the object to the recycle bin, from which it can be restored. Default: false. */
  readonly recycle?: boolean | undefined;
}

export interface PurgeOptions extends CallOptions {
  /** Purges the objects of all users. Administrators only. */
  readonly all?: boolean | undefined;
}

/** Whether an object is locked: `isOwn` by this session, `since` when, and by whom. `messages` says it as a text. */
export type Lock = LockData;
