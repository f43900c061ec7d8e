import type { ArchiveSection, RecordOf } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";
import type { Row } from "../row-values.ts";

/** How the records of one section are read and written. */
export interface ArchivedTable<Section extends ArchiveSection> {
  /** Selects all rows, in the order of the records. */
  readonly select: string;
  recordOf(row: Row): RecordOf<Section>;
  readonly table: string;
  readonly columns: readonly string[];
  rowsOf(record: RecordOf<Section>): readonly (readonly SqlValue[])[];
}

/** Milliseconds since 1970 as a value of a column. */
export function timeValue(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ").replace("Z", "");
}
