import { type JsonValue, objectNumber, type ValueType } from "@sallyport/core";
import { isPossible } from "../../../query/is-possible.ts";
import type { SqlValue } from "../../../sql-runner.ts";
import type { QueryParameters } from "./query-parameters.ts";

/** The types of the database in which values are compared. */
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

/** A value to compare those of a path with. */
export function operand(parameters: QueryParameters, type: ValueType, value: JsonValue): string {
  return parameters.add(sqlOperand(type, value), sqlTypes[type]);
}

/** A condition on what is compared: that it is one of the values. */
export function isAmong(
  parameters: QueryParameters,
  expression: string,
  type: ValueType,
  values: readonly JsonValue[],
): string {
  const possible = values.filter((value) => isPossible(type, value));
  const [only] = possible;
  if (only === undefined) return "false";
  if (possible.length === 1) return `${expression} = ${operand(parameters, type, only)}`;
  const texts = possible.map((value) => String(sqlOperand(type, value)));
  return `${expression} = any (${parameters.add(texts, `${sqlTypes[type]}[]`)})`;
}

function sqlOperand(type: ValueType, value: JsonValue): SqlValue {
  if (sqlTypes[type] === "jsonb") return JSON.stringify(value);
  if (typeof value === "string")
    return type === "id" || type === "reference" || type === "file" ? objectNumber(value) : value;
  return Number(value);
}
