import {
  isClassName,
  type JsonValue,
  objectNumber,
  objectNumbers,
  type ValuePath,
  type ValueType,
  type Visibility,
} from "@sallyport/storage";
import { isPossible, QueryScope } from "../../../query/query-scope.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import { attributeLiteral, classLiteral, indexedCharacters, indexExpression, textOf } from "../index-expression.ts";
import { epochMilliseconds } from "../expressions.ts";
import type { Tables } from "../tables.ts";

export class PostgresQueryScope extends QueryScope {
  readonly indexedCharacters = indexedCharacters;
  private principals: string | undefined;

  constructor(
    readonly tables: Tables,
    readonly parameters: QueryParameters,
    visibility: Visibility,
  ) {
    super(tables.objects, visibility);
  }

  /** An `or` even if always true, so that both partial indexes of a class serve it. */
  readable(o: string): string {
    if (this.visibility.principals === null) return `(${o}.readers is null or ${o}.readers is not null)`;
    this.principals ??= this.parameters.add(objectNumbers(this.visibility.principals), "bigint[]");
    return `(${o}.readers is null or ${o}.readers && ${this.principals})`;
  }

  /** A single class is a literal, so that its indexes serve. */
  isOf(o: string, classes: readonly string[]): string {
    const [only] = classes;
    if (classes.length === 1 && only !== undefined && isClassName(only)) return `${o}.class = ${classLiteral(only)}`;
    return `${o}.class = any (${this.parameters.add([...classes], "text[]")})`;
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
        return [epochMilliseconds(`${o}.stored_at`)];
      case "string":
        return [
          indexExpression(this.tables, `${o}.attributes`, leaf, type),
          `${textOf(`${o}.attributes`, leaf)} collate "C"`,
        ];
      default:
        return [indexExpression(this.tables, `${o}.attributes`, leaf, type)];
    }
  }

  operand(type: ValueType, value: JsonValue): string {
    return this.parameters.add(sqlOperand(type, value), sqlTypes[type]);
  }

  isAmong(expression: string, type: ValueType, values: readonly JsonValue[]): string {
    const possible = values.filter((value) => isPossible(type, value));
    const [only] = possible;
    if (only === undefined) return "false";
    if (possible.length === 1) return `${expression} = ${this.operand(type, only)}`;
    const texts = possible.map((value) => String(sqlOperand(type, value)));
    return `${expression} = any (${this.parameters.add(texts, `${sqlTypes[type]}[]`)})`;
  }

  isPresent(o: string, attribute: string): string {
    return `${o}.attributes ? ${attributeLiteral(attribute)}`;
  }

  isLike(expression: string, pattern: string): string {
    return `${expression} like ${this.parameters.add(pattern, "text")}`;
  }

  startsWith(expression: string, start: string): string {
    return this.isLike(expression, `${start.replaceAll(/[%_\\]/g, "\\$&")}%`);
  }

  contains(o: string, path: ValuePath, value: string): string {
    const whole = this.whole(o, path);
    if (path.type === "collection") return `${whole} @> ${this.parameters.add(JSON.stringify([value]), "jsonb")}`;
    return `strpos(${whole}, ${this.parameters.add(value, "text")}) > 0`;
  }
}

/** The database types of compared values. */
const sqlTypes: Readonly<Record<ValueType, string>> = {
  string: "text",
  date: "text",
  class: "text",
  number: "jsonb",
  boolean: "jsonb",
  json: "jsonb",
  collection: "jsonb",
  reference: "bigint",
  file: "bigint",
  id: "bigint",
  uuid: "uuid",
  time: "bigint",
};

function sqlOperand(type: ValueType, value: JsonValue): SqlValue {
  if (sqlTypes[type] === "jsonb") return JSON.stringify(value);
  if (typeof value === "string")
    return type === "id" || type === "reference" || type === "file" ? objectNumber(value) : value;
  return Number(value);
}

/** Collects the values of a query text. */
export class QueryParameters {
  readonly values: SqlValue[] = [];

  /** Returns the placeholder with a cast. */
  add(value: SqlValue, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
