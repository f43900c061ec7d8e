import { type AttributeType, isAttributeName, isClassName, ServiceError } from "@sallyport/core";
import type { Tables } from "./tables.ts";

/**
 * Characters of a string that its index holds: an entry may have 2,700 bytes, and a character four. A text that is
 * shorter is compared by the index alone.
 */
export const indexedCharacters = 600;

/**
 * What the index of an attribute holds, and what queries compare so that the index can serve them: the database knows
 * an index again only by the same expression. `attributes` is the column. Null stands for a missing value, too.
 *
 * - Of a string its first characters, of a date its text, both compared by their bytes.
 * - A number and a boolean stay JSON, whose order is theirs: a cast could fail.
 * - Of a reference and a file the number of the object.
 */
export function indexExpression(
  { objectNumber }: Pick<Tables, "objectNumber">,
  attributes: string,
  name: string,
  type: AttributeType,
): string {
  switch (type) {
    case "string":
      return `left(${textOf(attributes, name)}, ${indexedCharacters}) collate "C"`;
    case "date":
      return `${textOf(attributes, name)} collate "C"`;
    case "reference":
    case "file":
      return `${objectNumber}(${textOf(attributes, name)})`;
    default:
      return jsonOf(attributes, name);
  }
}

/** The whole index of an attribute of one class: its columns and the rows that are in it. */
export function indexDefinition(tables: Tables, className: string, name: string, type: AttributeType): string {
  const expression = indexExpression(tables, "attributes", name, type);
  return `${tables.objects} ((${expression}) nulls first, oid) where class = ${classLiteral(className)}`;
}

/** The value as text, without a collation. */
export function textOf(attributes: string, name: string): string {
  return `(${attributes} ->> ${attributeLiteral(name)})`;
}

/** The value as JSON. */
export function jsonOf(attributes: string, name: string): string {
  return `nullif(${attributes} -> ${attributeLiteral(name)}, 'null'::jsonb)`;
}

/** The name of an attribute as a literal: a parameter would keep the database from knowing an index again. */
export function attributeLiteral(name: string): string {
  if (!isAttributeName(name)) throw new ServiceError(799, { detail: "A query names what cannot be an attribute." });
  return `'${name}'`;
}

/** The name of a class as a literal, for the same reason. */
export function classLiteral(name: string): string {
  if (!isClassName(name)) throw new ServiceError(799, { detail: "A query names what cannot be a class." });
  return `'${name}'`;
}
