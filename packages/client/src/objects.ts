import type { LockData, ObjectData, ObjectListData, TrashData, Serialization } from "@sallyport/contract";
import type { CallOptions } from "./requests.ts";
import type { ConditionOptions } from "./version.ts";

/** Attributes of a class, as its users know them. */
export type Attributes = object;

/** An object that was asked for: its meta-fields, and the attributes that the caller expects of its class. */
export type BusinessObject<Known extends Attributes = Attributes> = ObjectData & { readonly "~UUID": string } & Known;

/** A page of a list, or of the members of a collection. */
export type ObjectPage<Known extends Attributes = Attributes> = Omit<ObjectListData, "~Elements"> & {
  readonly "~Elements": BusinessObject<Known>[];
};

/** A page of the recycle bin: what was deleted, when and by whom. */
export type TrashPage = TrashData;

/** What an attribute is compared with. A reference or a file by the id or UUID of the object it points to. */
export type Operand = string | number | boolean | null | Date;

/** What an attribute must be; several operators must all hold. A missing attribute and one that is `null` are the same but for `$exists`. */
export interface Operators {
  /** The same value. Of a `json` attribute any JSON. */
  readonly $eq?: unknown;
  readonly $ne?: unknown;
  readonly $gt?: Operand | undefined;
  readonly $gte?: Operand | undefined;
  readonly $lt?: Operand | undefined;
  readonly $lte?: Operand | undefined;
  /** One of at most 1,000 values. */
  readonly $in?: readonly unknown[] | undefined;
  readonly $nin?: readonly unknown[] | undefined;
  /** A pattern for a text: `%` stands for any characters, `_` for one, `\` before them for themselves. Capitals count. */
  readonly $like?: string | undefined;
  /** A part of a text, or the id or UUID of a member of a collection. */
  readonly $contains?: string | undefined;
  /** Whether there is a value or a `null`. */
  readonly $exists?: boolean | undefined;
}

/** Which objects: those for which all members hold. */
export interface Filter {
  readonly $and?: readonly Filter[] | undefined;
  readonly $or?: readonly Filter[] | undefined;
  readonly $not?: Filter | undefined;
  /** By an attribute, a path through references (`Customer.City`) or a meta-field (`~StoreTime`): a value, or operators. */
  readonly [path: string]: Operand | Operators | Filter | readonly Filter[] | undefined;
}

/** Which objects of a class. */
export interface MatchQuery {
  readonly where?: Filter | undefined;
  /** Ids or UUIDs, at most 1,000: no others, and of these only those that match. */
  readonly oids?: readonly string[] | undefined;
}

/** Which objects of a class, and in which order. */
export interface ObjectQuery extends MatchQuery {
  /** Attributes, paths or meta-fields; `-` before one sorts it descending. Objects that are equal in all of them go by their ids. */
  readonly sort?: readonly string[] | undefined;
}

export interface ObjectOptions extends CallOptions {
  /** How objects are written: `{ depth: 1 }`, `{ type: "custom", fields: ["Name", "Customer.City", "Customer.~UUID"] }`. With `oid` there is the id alone. */
  readonly serialization?: Serialization | undefined;
}

export interface CountOptions extends CallOptions {
  /** Which objects are counted; all unless given. */
  readonly query?: MatchQuery | undefined;
  /** `capped`: counting stops at 5,000, which costs less where more match. */
  readonly count?: "capped" | undefined;
}

export interface ListOptions extends ObjectOptions {
  /** Which objects are listed, and in which order; all by their ids unless given. */
  readonly query?: ObjectQuery | undefined;
  /** Objects on a page: 50 unless given, at most 1,000. */
  readonly perPage?: number | undefined;
  /** `capped`: counting stops at 5,000, which costs less where more match; `~CountCapped` tells. */
  readonly count?: "capped" | undefined;
}

export interface PageOptions extends ListOptions {
  /** Number of the page, from 0. */
  readonly page?: number | undefined;
  /** Instead of a number: `~Cursor` of the page before. It costs the same however far the list is, and skips and repeats nothing. */
  readonly cursor?: string | undefined;
}

export interface TrashOptions extends CallOptions {
  /** Objects on a page: 50 unless given, at most 1,000. */
  readonly perPage?: number | undefined;
  /** `~Cursor` of the page before; the first page unless given. */
  readonly cursor?: string | undefined;
}

export interface UpdateOptions extends ObjectOptions, ConditionOptions {}

export interface ReadersOptions extends CallOptions, ConditionOptions {}

export interface DeleteOptions extends CallOptions, ConditionOptions {
  /** Whether the object goes into the recycler, and can be restored. */
  readonly recycle?: boolean | undefined;
}

export interface PurgeOptions extends CallOptions {
  /** Whether what all users have recycled is purged; for administrators. */
  readonly all?: boolean | undefined;
}

/** Whether an object is locked, and in words by whom and since when. */
export type Lock = LockData;

export interface ExecuteOptions extends CallOptions {
  /** Leaves out the macro's own check of the execution; needs the right to (402). */
  readonly skipChecker?: boolean | undefined;
}
