import { createHash } from "node:crypto";
import {
  type AttributeIndex,
  type AttributeType,
  isAttributeName,
  ServiceError,
  type ValueType,
} from "@sallyport/core";
import type { SqlRunner } from "../../sql-runner.ts";
import type { Tables } from "./tables.ts";

/** The prefix of the names of value columns and value indexes. */
export const valuePrefix = "value_";

/**
 * The column of an attribute of one type in all classes, and its index. The name contains a hash of the definition, so
 * that another definition has another name.
 */
export function valueColumn({ attribute, type }: Pick<AttributeIndex, "attribute" | "type">): string {
  const definition = `${attribute} ${valueColumnDefinition(attribute, type)}`;
  return `${valuePrefix}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
}

/** The identity of a value index. */
export function indexKey({ className, attribute, type }: AttributeIndex): string {
  return `${className} ${attribute} ${type}`;
}

/** The list of value indexes. */
export function listedIndexes({ valueIndexes }: Tables): string {
  return `select class as className, attribute, type from ${valueIndexes}`;
}

/** The value columns that queries of this process use: the indexed ones, as cached. */
export class ValueColumns {
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly tables: Tables) {}

  /** Reads the list unless it is cached. */
  async load(sql: SqlRunner): Promise<void> {
    if (this.names === undefined) await this.read(sql);
  }

  /** Reads the list and caches it. Returns the keys of all indexes. */
  async read(sql: SqlRunner): Promise<ReadonlySet<string>> {
    const { rows } = await sql.runOnce<AttributeIndex>(listedIndexes(this.tables));
    this.cache(rows);
    return new Set(rows.map(indexKey));
  }

  cache(indexes: readonly AttributeIndex[]): void {
    this.names = new Set(indexes.map(valueColumn));
  }

  /** Invalidates the cache after another process has dropped a column. */
  invalidate(): void {
    this.names = undefined;
  }

  get isEmpty(): boolean {
    return this.names === undefined || this.names.size === 0;
  }

  find(attribute: string, type: ValueType): string | undefined {
    if (this.isEmpty || !isAttributeName(attribute)) return undefined;
    const name = valueColumn({ attribute, type: type as AttributeType });
    return this.names?.has(name) === true ? name : undefined;
  }
}

/**
 * Characters of a string that an index contains and that a list is sorted by first: by default the database compares 1,024
 * bytes of a sort key, and a character takes three of them.
 */
export const indexedCharacters = 250;

/** The column types for indexed values. */
const columnTypes: ReadonlyMap<AttributeType, string> = new Map([
  ["string", `varchar(${indexedCharacters})`],
  ["date", "varchar(24)"],
  ["number", "double"],
  ["boolean", "boolean"],
  ["reference", "bigint"],
  ["file", "bigint"],
]);

/**
 * The comparison value of an attribute, and the content of its indexed column. `attributes` is the column of all
 * attributes. Null also means a missing value.
 *
 * - String: its first characters. Date: its text.
 * - Number: a 64-bit float. Boolean: 1 or 0.
 * - Reference and file: the number of the object.
 * - Others: JSON, see `objects/object-row.ts`.
 */
export function valueExpression(attributes: string, name: string, type: AttributeType): string {
  const text = textOf(attributes, name);
  const json = jsonOf(attributes, name);
  switch (type) {
    case "string":
      return `left(${text}, ${indexedCharacters})`;
    case "date":
      return `left(${text}, 24)`;
    case "number":
      return `case when json_type(${json}) in ('INTEGER', 'DOUBLE') then cast(${text} as double) end`;
    case "boolean":
      return `case ${json} when 'true' then 1 when 'false' then 0 end`;
    case "reference":
    case "file":
      return `case when ${text} regexp '^[1-9A-Z][0-9A-Z]{0,9}\\\\z' then cast(conv(${text}, 36, 10) as signed) end`;
    default:
      return `nullif(${json}, 'null')`;
  }
}

/** The definition of the virtual column for the values of an attribute. */
export function valueColumnDefinition(name: string, type: AttributeType): string {
  return `${columnTypes.get(type)} generated always as (${valueExpression("attributes", name, type)}) virtual`;
}

/** The value as JSON text: the server compares JSON values without their quotation marks. */
function jsonOf(attributes: string, name: string): string {
  return `concat(json_extract(${attributes}, ${pathOf(name)}))`;
}

export function textOf(attributes: string, name: string): string {
  return `json_value(${attributes}, ${pathOf(name)})`;
}

/** The JSON path of an attribute. Attribute names contain no path syntax. */
export function pathOf(name: string): string {
  if (!isAttributeName(name)) throw new ServiceError(799, { detail: "The query contains an invalid attribute name." });
  return `'$.${name}'`;
}
