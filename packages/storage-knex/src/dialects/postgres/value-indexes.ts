import { createHash } from "node:crypto";
import type { AttributeIndex } from "@sallyport/core";
import { indexDefinition, indexExpression } from "./index-expression.ts";
import type { Tables } from "./tables.ts";

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
