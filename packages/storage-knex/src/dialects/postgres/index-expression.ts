import { createHash } from "node:crypto";
import { type AttributeIndex, type AttributeType, isAttributeName, isClassName, ServiceError } from "@sallyport/core";
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
function indexDefinition(tables: Tables, className: string, name: string, type: AttributeType): string {
  const expression = indexExpression(tables, "attributes", name, type);
  return `${tables.objects} ((${expression}) nulls first, oid) where class = ${classLiteral(className)}`;
}

/** The value as text, without a collation. */
export function textOf(attributes: string, name: string): string {
  return `(${attributes} ->> ${attributeLiteral(name)})`;
}

/** The value as JSON. */
function jsonOf(attributes: string, name: string): string {
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

/** How the names begin of all that is built here. */
const prefix = "objects_value_";

/** Something that is built for queries over values. */
export interface ValueSupport {
  /** Holds a digest of the definition: what is defined otherwise is something else. */
  readonly name: string;
  readonly definition: string;
}

export interface ValueIndex extends ValueSupport {
  readonly index: AttributeIndex;
}

/** An index; its definition is what comes after `on`. */
export function valueIndex(tables: Tables, index: AttributeIndex): ValueIndex {
  const definition = indexDefinition(tables, index.className, index.attribute, index.type);
  return { name: nameFor(definition), definition, index };
}

/**
 * What the database keeps count of to know how many objects a condition leaves: it learns that from no index over a part of
 * a table. One for all classes that have the attribute; its definition is what comes after `on`.
 */
export function valueStatistics(tables: Tables, { attribute, type }: AttributeIndex): ValueSupport {
  const definition = `(${indexExpression(tables, "attributes", attribute, type)}) from ${tables.objects}`;
  return { name: nameFor(definition), definition };
}

/** The indexes that are there: names, and whether queries can use them. */
export function existingIndexes({ objects }: Tables): string {
  return `select c.relname as name, i.indisvalid as valid
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = '${objects}'::regclass and starts_with(c.relname, '${prefix}')`;
}

/** The statistics that are there: names. */
export function existingStatistics({ objects }: Tables): string {
  return `select stxname as name from pg_statistic_ext where stxrelid = '${objects}'::regclass and starts_with(stxname, '${prefix}')`;
}

function nameFor(definition: string): string {
  return `${prefix}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
}
