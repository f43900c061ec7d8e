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
} from "@sallyport/core";
import type { SqlValue } from "../sql-runner.ts";

/** A text for one call, with its values. */
export interface ComposedText {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What a reference leads to. */
interface Target {
  readonly alias: string;
  readonly table: string;
  readonly condition: string;
}

/**
 * What the parts of one query share: who asks, names for the tables it reads, and how the dialect says what can be said
 * of one value.
 */
export abstract class QueryScope {
  private aliases = 0;
  private readonly joined = new Map<string, Target>();

  constructor(
    /** The table of the objects. */
    private readonly objects: string,
    readonly visibility: Visibility,
  ) {}

  /** Characters of a string that an index holds. */
  abstract readonly indexedCharacters: number;

  /** A condition on the readers of an object. */
  abstract readable(o: string): string;

  /** That an object is of one of these classes. */
  abstract isOf(o: string, classes: readonly string[]): string;

  /**
   * The value at the end of a path as what is compared: what an index holds of it, and after it the whole of it where the
   * index may not hold all.
   */
  abstract leaf(o: string, path: Pick<ValuePath, "leaf" | "type">): readonly [string] | readonly [string, string];

  /** A value to compare those of a path with. */
  abstract operand(type: ValueType, value: JsonValue): string;

  /** That what is compared is one of the values. */
  abstract isAmong(expression: string, type: ValueType, values: readonly JsonValue[]): string;

  /** That an object has an attribute, null or not. */
  abstract isPresent(o: string, attribute: string): string;

  /** That a text is like a pattern of filters. */
  abstract isLike(expression: string, pattern: string): string;

  /** That the text at a path has a part, or the collection a member. */
  abstract contains(o: string, path: ValuePath, value: string): string;

  /** The value as a whole. */
  whole(o: string, path: ValuePath): string {
    const [indexed, whole] = this.leaf(o, path);
    return whole ?? indexed;
  }

  /**
   * The live, visible object that a reference leads to: a table under an alias, and the condition on it. `o` is the
   * alias of the object that has the reference. Without classes it may be of any.
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
   * Joins what a reference leads to; its alias, whose columns are null where that is nothing. The same reference is
   * joined once.
   */
  join(o: string, reference: string, classes: readonly string[]): string {
    const key = JSON.stringify([o, reference, classes]);
    const known = this.joined.get(key);
    if (known !== undefined) return known.alias;
    const target = this.target(o, reference, classes);
    this.joined.set(key, target);
    return target.alias;
  }

  /** All that was joined, as it follows the table of the objects. */
  get joins(): string {
    return Array.from(this.joined.values(), ({ table, condition }) => ` left join ${table} on ${condition}`).join("");
  }

  private visibleAmong(classes: readonly string[] | null): readonly string[] | null {
    const { classes: visible } = this.visibility;
    if (visible === null || classes === null) return classes ?? (visible === null ? null : [...visible]);
    return classes.filter((name) => visible.has(name));
  }
}

/** The start of a text, as much as an index of strings holds. */
export function indexedPart(text: string, indexedCharacters: number): string {
  // A character is one or two units.
  return text.length <= indexedCharacters
    ? text
    : Array.from(text.slice(0, 2 * indexedCharacters))
        .slice(0, indexedCharacters)
        .join("");
}

/** Whether what an index holds is enough to compare with this text. */
export function isShort(text: string, indexedCharacters: number): boolean {
  return (
    text.length < indexedCharacters || (text.length < 2 * indexedCharacters && [...text].length < indexedCharacters)
  );
}

/** Whether anything can have the value: a database would refuse to look for another. */
export function isPossible(type: ValueType, value: JsonValue): boolean {
  if (type === "id" || type === "reference" || type === "file") return typeof value === "string" && isObjectId(value);
  return type !== "uuid" || (typeof value === "string" && isUuid(value));
}

/** Those of the classes that are visible, each once. */
export function visibleClasses(classes: readonly string[], visibility: Visibility): string[] {
  const asked = [...new Set(classes)].filter(isStorableText);
  return asked.filter((name) => visibility.classes === null || visibility.classes.has(name));
}

/** Whether all objects of the classes are meant, by their numbers: statements that are not composed serve that. */
export function isPlain({ filter, sort }: ObjectQuery): boolean {
  return filter === undefined && (sort === undefined || sort.length === 0);
}

/** A value of a position as the database answers it. */
export type KeyValue = Scalar | null;

/** The position of a row that was ordered, from the values of its keys. */
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
