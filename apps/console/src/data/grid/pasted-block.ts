import { cellText, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";
import { type FieldFault, isSameValue, sentValue } from "../form/object-edits.ts";
import { parseJson } from "../exact-number.ts";
import { readBoolean, readDate, readNumber, type Reading } from "../form/typed-values.ts";

/** Cells of a paste, at most. */
export const mostCells = 1_000;

/** Texts over cells of a list: a line for each object, a text for each column. */
export interface PastedBlock {
  readonly rows: readonly ObjectRow[];
  readonly columns: readonly ValueColumn[];
  readonly texts: readonly (readonly string[])[];
  /** Texts that would be beside the list. */
  readonly leftOut: number;
}

/** A cell of tab-separated values and what ends it. Spreadsheets put quotes around texts with tabs and line breaks. */
const cellForm = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;

/** The cells of tab-separated values, line by line. */
export function tableOf(text: string): string[][] {
  const form = new RegExp(cellForm);
  const lines: string[][] = [];
  let line: string[] = [];
  for (let end = "\t"; end !== ""; ) {
    const [, quoted, plain = "", separator = ""] = form.exec(text) ?? [];
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    end = separator;
    if (end === "\t") continue;
    lines.push(line);
    line = [];
  }
  const last = lines.at(-1);
  return lines.length > 1 && last?.length === 1 && last[0] === "" ? lines.slice(0, -1) : lines;
}

interface Place {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** The texts of a clipboard over the cells from the first selected one. A single text fills the selection. */
export function blockAt(
  text: string,
  list: { readonly rows: readonly ObjectRow[]; readonly columns: readonly ValueColumn[] },
  { firstRow, lastRow, firstColumn, lastColumn }: Place,
): PastedBlock {
  const table = tableOf(text);
  const single = table.length === 1 && table[0]?.length === 1 ? table[0][0] : undefined;
  const filled = (length: number, each: string[] | string) => Array.from({ length }, () => each);
  const lines =
    single === undefined
      ? table
      : (filled(lastRow - firstRow + 1, filled(lastColumn - firstColumn + 1, single) as string[]) as string[][]);
  const width = Math.max(...lines.map((line) => line.length));
  const rows = list.rows.slice(firstRow - 1, firstRow - 1 + lines.length);
  const columns = list.columns.slice(firstColumn, firstColumn + width);
  const texts = lines.slice(0, rows.length).map((line) => line.slice(0, columns.length));
  const sizeOf = (all: readonly (readonly string[])[]) => all.reduce((sum, line) => sum + line.length, 0);
  return { rows, columns, texts, leftOut: sizeOf(lines) - sizeOf(texts) };
}

/** What a text without characters does to a cell. */
export type EmptyTexts = "keep" | "null" | "empty";

/** Why a cell takes no text. `fixed`: the grid cannot change it. `unknown` and `ambiguous`: no or several objects have the title. */
export type CellFault = FieldFault | "fixed" | "mandatory" | "unknown" | "ambiguous";

/** What a paste does to a cell that would change. */
export interface CellChange {
  readonly column: ValueColumn;
  readonly text: string;
  readonly outcome: { readonly value: unknown } | { readonly fault: CellFault };
}

interface PastedText {
  readonly column: ValueColumn;
  readonly text: string;
  readonly emptyTexts: EmptyTexts;
  /** Ids of the objects that the text can mean in a reference. */
  readonly meant: readonly string[];
}

/** What a text does to a cell of a stored object, whose JSON is text. `null`: nothing. */
export function changeOf(stored: ObjectRow, { column, text, emptyTexts, meant }: PastedText): CellChange | null {
  const { type, mandatory } = column;
  const change = (outcome: CellChange["outcome"]): CellChange => ({ column, text, outcome });
  const before = sentValue(stored, column);
  if (text === "") {
    if (emptyTexts === "keep" || isFixed(column)) return null;
    const value = emptyTexts === "null" ? null : "";
    if (before === value || (value === "" && type !== "string")) return null;
    return change(value === null && mandatory ? { fault: "mandatory" } : { value });
  }
  if (text === cellText(stored, column)) return null;
  if (isFixed(column)) return change({ fault: "fixed" });
  const read = readingOf(type, text, meant);
  const present = type === "json" && typeof before === "string" ? parseJson(before) : { value: before };
  return "value" in read && "value" in present && isSameValue(read.value, present.value) ? null : change(read);
}

const isFixed = ({ name, type }: ValueColumn): boolean =>
  name.startsWith("~") || type === "file" || type === "collection";

function readingOf(
  type: ValueColumn["type"],
  text: string,
  [first, second]: readonly string[],
): Reading | { readonly fault: CellFault } {
  switch (type) {
    case "number":
      return readNumber(text);
    case "boolean":
      return readBoolean(text);
    case "date":
      return readDate(text);
    case "json":
      return parseJson(text);
    case "reference":
      if (first === undefined) return { fault: "unknown" };
      return second === undefined ? { value: first } : { fault: "ambiguous" };
    default:
      return { value: text };
  }
}
