import {
  type AttributeType,
  isClassName,
  isObjectId,
  type JsonValue,
  objectNumber,
  type ValuePath,
  type ValueType,
  type Visibility,
} from "@sallyport/storage";
import { isPossible, QueryScope } from "../../../query/query-scope.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import { storedValue } from "../object-row.ts";
import type { Tables } from "../tables.ts";
import { indexedCharacters, pathOf, textOf, type ValueColumns, valueExpression } from "../value-columns.ts";

/** The escape character of `like`, independent of the SQL mode of the server. */
const escape = "escape '\\\\'";

/** Collects the values of a query text. */
export class QueryParameters {
  readonly values: SqlValue[] = [];

  /** Returns the placeholder. */
  add(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A condition on an object's readers, a JSON array of numbers: none, or at least one of the principals. */
export function readableCondition(o: string, { principals }: Visibility, parameters: QueryParameters): string {
  if (principals === null) return "true";
  const numbers = [...principals].filter(isObjectId).map(objectNumber);
  if (numbers.length === 0) return `${o}.readers is null`;
  return `(${o}.readers is null or ${o}.readers regexp ${parameters.add(`[[,](?:${numbers.join("|")})[\\],]`)})`;
}

/** A condition that an object or a tombstone is visible. */
export function visibleCondition(o: string, visibility: Visibility, parameters: QueryParameters): string {
  const readable = readableCondition(o, visibility, parameters);
  if (visibility.classes === null) return readable;
  if (visibility.classes.size === 0) return "false";
  const names = Array.from(visibility.classes, (name) => parameters.add(name));
  return `${o}.class in (${names.join(", ")}) and ${readable}`;
}

export class MariadbQueryScope extends QueryScope {
  readonly indexedCharacters = indexedCharacters;

  constructor(
    readonly tables: Tables,
    readonly parameters: QueryParameters,
    visibility: Visibility,
    private readonly columns: ValueColumns,
  ) {
    super(tables.objects, visibility);
  }

  /** The value of an attribute: an indexed column if there is one, otherwise an equivalent expression. */
  value(o: string, attribute: string, type: AttributeType): string {
    const column = this.columns.find(attribute, type);
    return column === undefined ? valueExpression(`${o}.attributes`, attribute, type) : `${o}.${column}`;
  }

  /** Whether an indexed column contains the value of a path. */
  isIndexed({ hops, leaf, type }: ValuePath): boolean {
    return hops.length === 0 && this.columns.find(leaf, type) !== undefined;
  }

  readable(o: string): string {
    return readableCondition(o, this.visibility, this.parameters);
  }

  isOf(o: string, classes: readonly string[]): string {
    if (classes.length === 0) return "false";
    // Literals let the optimizer plan for the values.
    const names = classes.map((name) => (isClassName(name) ? `'${name}'` : this.parameters.add(name)));
    return `${o}.class in (${names.join(", ")})`;
  }

  leaf(o: string, { leaf, type }: Pick<ValuePath, "leaf" | "type">): readonly [string] | readonly [string, string] {
    switch (type) {
      case "id":
        return [`${o}.oid`];
      case "uuid":
        return [`${o}.uuid`];
      case "class":
        return [`${o}.class`];
      case "time":
        return [`${o}.stored_at`];
      case "string":
        return [this.value(o, leaf, type), textOf(`${o}.attributes`, leaf)];
      default:
        return [this.value(o, leaf, type)];
    }
  }

  operand(type: ValueType, value: JsonValue): string {
    switch (type) {
      case "number":
        return `cast(${this.parameters.add(String(value))} as double)`;
      case "json":
      case "collection":
        return `concat(json_extract(${this.parameters.add(JSON.stringify([storedValue(value)]))}, '$[0]'))`;
      case "boolean":
      case "time":
        return this.parameters.add(Number(value));
      case "id":
      case "reference":
      case "file":
        return this.parameters.add(objectNumber(String(value)));
      default:
        return this.parameters.add(String(value));
    }
  }

  isAmong(expression: string, type: ValueType, values: readonly JsonValue[]): string {
    const possible = values.filter((value) => isPossible(type, value));
    if (possible.length === 0) return "false";
    return `${expression} in (${possible.map((value) => this.operand(type, value)).join(", ")})`;
  }

  isPresent(o: string, attribute: string): string {
    return `json_exists(${o}.attributes, ${pathOf(attribute)})`;
  }

  isLike(expression: string, pattern: string): string {
    return `${expression} like ${this.parameters.add(pattern)} ${escape}`;
  }

  /** Own bounds: those of the server for a pattern end at the last character below U+10000. */
  startsWith(expression: string, start: string): string {
    const from = `${expression} >= ${this.parameters.add(start)}`;
    const end = textBehind(start);
    return end === null ? from : `${from} and ${expression} < ${this.parameters.add(end)}`;
  }

  contains(o: string, path: ValuePath, value: string): string {
    const whole = this.whole(o, path);
    if (path.type === "collection") return `json_contains(${whole}, ${this.parameters.add(JSON.stringify(value))})`;
    return `instr(${whole}, ${this.parameters.add(value)}) > 0`;
  }
}

/** The first text, by code points, that follows all texts with a beginning; `null` if there is none. */
function textBehind(start: string): string | null {
  const characters = [...start];
  while (characters.at(-1) === "\u{10ffff}") characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return null;
  // Surrogates are not characters.
  return characters.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}
