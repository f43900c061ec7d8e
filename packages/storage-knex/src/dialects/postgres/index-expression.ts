import { createHash } from "node:crypto";
import {
  type AttributeIndex,
  type AttributeType,
  isAttributeName,
  isClassName,
  ServiceError,
} from "@sallyport/storage";
import type { Tables } from "./tables.ts";

/**
 * Characters of a string that its index contains: an entry can have 2,700 bytes, and a character four. The index alone
 * decides the comparison of a shorter text.
 */
export const indexedCharacters = 600;

/**
 * The indexed expression of an attribute. Queries must use the same expression for the index to serve them.
 * `attributes` is the column. Null also means a missing value.
 *
 * - String: its first characters. Date: its text. Both compare by bytes.
 * - Number and boolean: JSON, which has the same order; a cast could fail.
 * - Reference and file: the number of the object.
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

/** The definition of the partial index of an attribute of one class. */
function indexDefinition(tables: Tables, className: string, name: string, type: AttributeType): string {
  const expression = indexExpression(tables, "attributes", name, type);
  return `${tables.objects} ((${expression}) nulls first, oid) where class = ${classLiteral(className)}`;
}

/** The value as text, without a collation. */
export function textOf(attributes: string, name: string): string {
  return `(${attributes} ->> ${attributeLiteral(name)})`;
}

function jsonOf(attributes: string, name: string): string {
  return `nullif(${attributes} -> ${attributeLiteral(name)}, 'null'::jsonb)`;
}

/** An attribute name as a literal: with a parameter, the database would not recognize the index. */
export function attributeLiteral(name: string): string {
  if (!isAttributeName(name)) throw new ServiceError(799, { detail: "The query contains an invalid attribute name." });
  return `'${name}'`;
}

/** A class name as a literal, for the same reason. */
export function classLiteral(name: string): string {
  if (!isClassName(name)) throw new ServiceError(799, { detail: "The query contains an invalid class name." });
  return `'${name}'`;
}

/** The prefix of the names of everything that is built here. */
const prefix = "objects_value_";

/** An index or statistics object for queries over values. */
export interface ValueSupport {
  /** Contains a hash of the definition, so that another definition has another name. */
  readonly name: string;
  readonly definition: string;
}

export interface ValueIndex extends ValueSupport {
  readonly index: AttributeIndex;
}

/** An index; its definition is the part after `on`. */
export function valueIndex(tables: Tables, index: AttributeIndex): ValueIndex {
  const definition = indexDefinition(tables, index.className, index.attribute, index.type);
  return { name: nameFor(definition), definition, index };
}

/**
 * Extended statistics for the selectivity of a condition, which the database does not derive from partial indexes. They
 * cover all classes with the attribute. The definition is the part after `on`.
 */
export function valueStatistics(tables: Tables, { attribute, type }: AttributeIndex): ValueSupport {
  const definition = `(${indexExpression(tables, "attributes", attribute, type)}) from ${tables.objects}`;
  return { name: nameFor(definition), definition };
}

/** The existing indexes: names, and whether queries can use them. */
export function existingIndexes({ objects }: Tables): string {
  return `select c.relname as name, i.indisvalid as valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = '${objects}'::regclass and starts_with(c.relname, '${prefix}')`;
}

export function existingStatistics({ objects }: Tables): string {
  return `select stxname as name from pg_statistic_ext where stxrelid = '${objects}'::regclass and starts_with(stxname, '${prefix}')`;
}

function nameFor(definition: string): string {
  return `${prefix}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
}
