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
