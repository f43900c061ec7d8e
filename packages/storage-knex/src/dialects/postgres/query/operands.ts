import { isObjectId, isUuid, type JsonValue, objectNumber, type ValueType } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";
import { indexedCharacters } from "../index-expression.ts";
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
export function isAmong(parameters: QueryParameters, expression: string, type: ValueType, values: readonly JsonValue[]): string {
  const possible = values.filter((value) => isPossible(type, value));
  const [only] = possible;
  if (only === undefined) return "false";
  if (possible.length === 1) return `${expression} = ${operand(parameters, type, only)}`;
  const texts = possible.map((value) => String(sqlOperand(type, value)));
  return `${expression} = any (${parameters.add(texts, `${sqlTypes[type]}[]`)})`;
}

/** The start of a text, as much as the index of a string holds. */
export function indexedPart(text: string): string {
  // A character is one or two units.
  return text.length <= indexedCharacters ? text : Array.from(text.slice(0, 2 * indexedCharacters)).slice(0, indexedCharacters).join("");
}

/** Whether what the index holds is enough to compare with this text. */
export function isShort(text: string): boolean {
  return text.length < indexedCharacters || (text.length < 2 * indexedCharacters && [...text].length < indexedCharacters);
}

function sqlOperand(type: ValueType, value: JsonValue): SqlValue {
  if (sqlTypes[type] === "jsonb") return JSON.stringify(value);
  if (typeof value === "string") return type === "id" || type === "reference" || type === "file" ? objectNumber(value) : value;
  return Number(value);
}

/** Whether anything can have the value: the database would refuse to look for another. */
function isPossible(type: ValueType, value: JsonValue): boolean {
  if (type === "id" || type === "reference" || type === "file") return typeof value === "string" && isObjectId(value);
  return type !== "uuid" || (typeof value === "string" && isUuid(value));
}
