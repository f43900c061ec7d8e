import type { ArchiveRecord, ArchiveSection, RecordOf } from "@sallyport/core";
import { epochMilliseconds } from "../statements/expressions.ts";

/** How the rows of a section are read. */
export interface ReadTable {
  /** What is read: a table, or a query in parentheses. */
  readonly rows: string;
  /** The column by which records are ordered. */
  readonly key: {
    readonly column: string;
    readonly type: "bigint" | "text";
    /** No index knows it: whoever wants some rows looks at all. */
    readonly isExpression?: true;
  };
  /** Bytes that a row takes, known without reading it. */
  readonly size: string;
  /** A row as one line of text. */
  readonly line: string;
  recordOf(line: string): ArchiveRecord;
}

/** How the records of a section are written. */
export interface WrittenTable {
  /** Adds the rows of a JSON array, 1. */
  readonly insert: string;
  /** The record as elements of that array. */
  rowsOf(record: ArchiveRecord): string;
}

/** Both, for one section. */
export interface ArchivedTable<Section extends ArchiveSection> extends ReadTable, WrittenTable {
  recordOf(line: string): RecordOf<Section>;
  rowsOf(record: RecordOf<Section>): string;
}

/** A row as the text of a JSON object, of expressions by their names. */
export function jsonLine(members: Readonly<Record<string, string>>): string {
  return `json_build_object(${Object.entries(members)
    .map(([name, expression]) => `'${name}', ${expression}`)
    .join(", ")})::text`;
}

/** A point in time as it travels. */
export const milliseconds = epochMilliseconds;

/** The point in time of a column that was given as such. */
export function timeOf(column: string): string {
  return `to_timestamp(${column} / 1000.0)`;
}

/** Small enough for any number of them that is read at once. */
export const smallRow = "100";
