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

/** How the names begin of all columns and indexes over values. */
export const valuePrefix = "value_";

/**
 * The column of an attribute of one type in all classes, and its index. The name holds a digest of the definition: what is defined
 * otherwise is something else.
 */
export function valueColumn({ attribute, type }: Pick<AttributeIndex, "attribute" | "type">): string {
  const definition = `${attribute} ${valueColumnDefinition(attribute, type)}`;
  return `${valuePrefix}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
}

/** What tells an index over values from others. */
export function indexKey({ className, attribute, type }: AttributeIndex): string {
  return `${className} ${attribute} ${type}`;
}

/** The list of the indexes over values. */
export function listedIndexes({ valueIndexes }: Tables): string {
  return `select class as className, attribute, type from ${valueIndexes}`;
}

/** Which columns of values queries of this process name: those that have an index, as far as it knows. */
export class ValueColumns {
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly tables: Tables) {}

  /** Reads what others have done, unless it is known. */
  async load(sql: SqlRunner): Promise<void> {
    if (this.names === undefined) await this.read(sql);
  }

  /** Reads what others have done; the keys of all indexes that are there. */
  async read(sql: SqlRunner): Promise<ReadonlySet<string>> {
    const { rows } = await sql.runOnce<AttributeIndex>(listedIndexes(this.tables));
    this.know(rows);
    return new Set(rows.map(indexKey));
  }

  know(indexes: readonly AttributeIndex[]): void {
    this.names = new Set(indexes.map(valueColumn));
  }

  /** Somebody has taken a column away. */
  forget(): void {
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
 * Characters of a string that an index holds, and that a list is sorted by before anything else: the database compares no more than
 * 1,024 bytes of a sort key unless it is told to, and a character has three in it.
 */
export const indexedCharacters = 250;

/** The types of the columns that hold values for indexes. */
const columnTypes: ReadonlyMap<AttributeType, string> = new Map([
  ["string", `varchar(${indexedCharacters})`],
  ["date", "varchar(24)"],
  ["number", "double"],
  ["boolean", "boolean"],
  ["reference", "bigint"],
  ["file", "bigint"],
]);

/**
 * What an attribute is compared by, and what a column that is indexed holds of it. `attributes` is the column of all of them.
 * Null stands for a missing value, too.
 *
 * - Of a string its first characters, of a date its text.
 * - A number as one of 64 bits, a boolean as 1 or 0.
 * - Of a reference and a file the number of the object.
 * - Everything else as JSON, see `stored-attributes.ts`.
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

/** The definition of a column that holds the values of an attribute without room of its own. */
export function valueColumnDefinition(name: string, type: AttributeType): string {
  return `${columnTypes.get(type)} generated always as (${valueExpression("attributes", name, type)}) virtual`;
}

/** The value as JSON, as a text: the server compares JSON with what stands between its quotation marks. */
function jsonOf(attributes: string, name: string): string {
  return `concat(json_extract(${attributes}, ${pathOf(name)}))`;
}

/** The value as text. */
export function textOf(attributes: string, name: string): string {
  return `json_value(${attributes}, ${pathOf(name)})`;
}

/** The path to an attribute. Names of attributes mean nothing else in a path. */
export function pathOf(name: string): string {
  if (!isAttributeName(name)) throw new ServiceError(799, { detail: "A query names what cannot be an attribute." });
  return `'$.${name}'`;
}
