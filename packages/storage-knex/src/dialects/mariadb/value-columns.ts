import {
  type AttributeIndex,
  type AttributeType,
  isAttributeName,
  ServiceError,
  type ValueType,
} from "@sallyport/storage";
import type { SqlRunner } from "../../sql-runner.ts";
import type { Tables } from "./tables.ts";

/** The prefix of the names of value columns and their indexes. */
export const valuePrefix = "value_";

/** The identity of a value index. */
export function indexKey({ className, attribute, type }: AttributeIndex): string {
  return `${className} ${attribute} ${type}`;
}

/** The list of value indexes. */
export function listedIndexes({ valueIndexes }: Tables): string {
  return `select class as className, attribute, type from ${valueIndexes}`;
}

/** A column with a value of an attribute in all classes. */
export interface ValueColumn {
  /** Never given twice, so that a process with an old list misses a dropped column instead of reading another one. */
  readonly number: number;
  readonly attribute: string;
  readonly type: AttributeType;
  /** Its content, from the column of all attributes. A server of another version fills it by the same expression. */
  readonly expression: string;
}

/** The expressions of value columns, by name. */
export type Contents = ReadonlyMap<string, string>;

export function nameOf({ number }: Pick<ValueColumn, "number">): string {
  return `${valuePrefix}${number}`;
}

/** The columns as selected, with a condition on them. */
export function listedColumns({ valueColumns }: Tables, condition = "true"): string {
  return `select number, attribute, type, expression from ${valueColumns} where ${condition} order by number`;
}

/**
 * The value columns as this process knows them. Writers fill all that exist, queries use those that are filled and
 * indexed. The columns are plain: the server loses rows of reads by indexed virtual columns.
 */
export class ValueColumns {
  private ready: ReadonlyMap<string, string> | undefined;
  private written: { readonly generation: number; readonly contents: Contents } | undefined;

  constructor(private readonly tables: Tables) {}

  /** Reads the list for queries unless it is cached. */
  async load(sql: SqlRunner): Promise<void> {
    if (this.ready !== undefined) return;
    const { rows } = await sql.runOnce<ValueColumn>(listedColumns(this.tables, "ready"));
    this.ready = new Map(rows.map((column) => [keyOf(column), nameOf(column)]));
  }

  /** The columns that a writer fills, as expressions by name. The row that it locks has their generation. */
  async at(generation: number, sql: SqlRunner): Promise<Contents> {
    if (this.written?.generation !== generation)
      this.written = { generation, contents: await contentsIn(sql, this.tables) };
    return this.written.contents;
  }

  /** Invalidates the lists after a change of the columns. */
  invalidate(): void {
    this.ready = undefined;
    this.written = undefined;
  }

  get isEmpty(): boolean {
    return this.ready === undefined || this.ready.size === 0;
  }

  find(attribute: string, type: ValueType): string | undefined {
    if (this.isEmpty || !isAttributeName(attribute) || !isIndexed(type)) return undefined;
    return this.ready?.get(keyOf({ attribute, type, expression: contentOf(attribute, type) }));
  }
}

/** The expressions of all listed columns that the table has, by name. A builder that fails can leave others listed. */
export async function contentsIn(sql: SqlRunner, tables: Tables): Promise<Contents> {
  const isThere = `convert(concat('${valuePrefix}', number) using utf8mb3) collate utf8mb3_general_ci in (
    select column_name from information_schema.columns where table_schema = '${tables.database}' and table_name = 'objects')`;
  const { rows } = await sql.runOnce<ValueColumn>(listedColumns(tables, isThere));
  return new Map(rows.map((column) => [nameOf(column), column.expression]));
}

/** The identity of the content of a column. */
export function keyOf({ attribute, type, expression }: Omit<ValueColumn, "number">): string {
  return `${type} ${attribute} ${expression}`;
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

/** The content of the value column of an attribute. */
export function contentOf(name: string, type: AttributeType): string {
  return valueExpression("attributes", name, type);
}

export function columnTypeOf({ type }: Pick<ValueColumn, "type">): string {
  return columnTypes.get(type) as string;
}

function isIndexed(type: ValueType): type is AttributeType {
  return (columnTypes as ReadonlyMap<ValueType, string>).has(type);
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
