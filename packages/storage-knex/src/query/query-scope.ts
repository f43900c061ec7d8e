import {
  isObjectId,
  isStorableText,
  isUuid,
  type JsonValue,
  objectIdOf,
  type ObjectQuery,
  type Position,
  type Scalar,
  type SortKey,
  type ValuePath,
  type ValueType,
  type Visibility,
} from "@sallyport/storage";
import type { SqlValue } from "../sql-runner.ts";

/** A text for one call, with its values. */
export interface ComposedText {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

interface Target {
  readonly alias: string;
  readonly table: string;
  readonly condition: string;
}

/** The shared parts of one query: the visibility, table aliases, and the dialect's expressions on single values. */
export abstract class QueryScope {
  private aliases = 0;
  private readonly joined = new Map<string, Target>();

  constructor(
    /** The table of the objects. */
    private readonly objects: string,
    readonly visibility: Visibility,
  ) {}

  /** Characters of a string that an index contains. */
  abstract readonly indexedCharacters: number;

  /** A condition on the readers of an object. */
  abstract readable(o: string): string;

  /** A condition that an object is of one of these classes. */
  abstract isOf(o: string, classes: readonly string[]): string;

  /**
   * The expressions of the value at the end of a path: the indexed part, then the whole value if the index can contain
   * less.
   */
  abstract leaf(o: string, path: Pick<ValuePath, "leaf" | "type">): readonly [string] | readonly [string, string];

  /** The operand to compare values of a path with. */
  abstract operand(type: ValueType, value: JsonValue): string;

  /** A condition that an expression is one of the values. */
  abstract isAmong(expression: string, type: ValueType, values: readonly JsonValue[]): string;

  /** A condition that an object has an attribute, null or not. */
  abstract isPresent(o: string, attribute: string): string;

  /** A condition that a text matches a filter pattern. */
  abstract isLike(expression: string, pattern: string): string;

  /** A condition that a text has a beginning, which an index can serve. */
  abstract startsWith(expression: string, start: string): string;

  /** A condition that the text at a path has a substring, or the collection a member. */
  abstract contains(o: string, path: ValuePath, value: string): string;

  whole(o: string, path: ValuePath): string {
    const [indexed, whole] = this.leaf(o, path);
    return whole ?? indexed;
  }

  /**
   * The live, visible target of a reference: a table alias and its condition. `o` is the alias of the source. Without
   * classes, the target can be of any class.
   */
  target(o: string, reference: string, classes: readonly string[] | null): Target {
    this.aliases += 1;
    const alias = `t${this.aliases}`;
    const [number] = this.leaf(o, { leaf: reference, type: "reference" });
    const visible = this.visibleAmong(classes);
    const conditions = [`${alias}.oid = ${number}`];
    if (visible !== null) conditions.push(this.isOf(alias, visible));
    if (this.visibility.principals !== null) conditions.push(this.readable(alias));
    return { alias, table: `${this.objects} ${alias}`, condition: conditions.join(" and ") };
  }

  /**
   * Joins the target of a reference and returns its alias; its columns are null without a target. The same reference is
   * joined only once.
   */
  join(o: string, reference: string, classes: readonly string[]): string {
    const key = JSON.stringify([o, reference, classes]);
    const existing = this.joined.get(key);
    if (existing !== undefined) return existing.alias;
    const target = this.target(o, reference, classes);
    this.joined.set(key, target);
    return target.alias;
  }

  /** All joins, in the text after the objects table. */
  get joins(): string {
    return Array.from(this.joined.values(), ({ table, condition }) => ` left join ${table} on ${condition}`).join("");
  }

  private visibleAmong(classes: readonly string[] | null): readonly string[] | null {
    const { classes: visible } = this.visibility;
    if (visible === null || classes === null) return classes ?? (visible === null ? null : [...visible]);
    return classes.filter((name) => visible.has(name));
  }
}

/** Whether the indexed prefix suffices to compare with this text. */
export function fitsIndexedPrefix(text: string, indexedCharacters: number): boolean {
  return (
    text.length < indexedCharacters || (text.length < 2 * indexedCharacters && [...text].length < indexedCharacters)
  );
}

/** Whether an object can have the value: a database would refuse to search for an invalid one. */
export function isPossible(type: ValueType, value: JsonValue): boolean {
  if (type === "id" || type === "reference" || type === "file") return typeof value === "string" && isObjectId(value);
  return type !== "uuid" || (typeof value === "string" && isUuid(value));
}

/** The visible ones of the classes, without duplicates. */
export function visibleClasses(classes: readonly string[], visibility: Visibility): string[] {
  const { classes: visible } = visibility;
  return [...new Set(classes)].filter((name) => isStorableText(name) && (visible === null || visible.has(name)));
}

/** Whether the query asks for all objects of the classes by number. Prepared statements serve it. */
export function isFullList({ filter, sort }: ObjectQuery): boolean {
  return filter === undefined && (sort === undefined || sort.length === 0);
}

/** A key value of a position as the database returns it. */
export type KeyValue = Scalar | null;

/** The position of an ordered row, from its key values. */
export function positionFrom(
  sort: readonly SortKey[],
  values: readonly KeyValue[],
  { oid }: { readonly oid: string | number },
): Position {
  return { values: sort.map(({ path }, key) => scalarOf(path, values[key] ?? null)), id: objectIdOf(Number(oid)) };
}

function scalarOf({ type }: ValuePath, value: KeyValue): KeyValue {
  if (value === null) return null;
  if (type === "id") return objectIdOf(Number(value));
  if (type === "boolean") return Number(value) === 1;
  return type === "number" || type === "time" ? Number(value) : value;
}
