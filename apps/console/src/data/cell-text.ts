import type { ValueColumn } from "./columns.ts";
import { beginningOf } from "./cut-text.ts";
import { titleOf } from "./object-title.ts";

export type ObjectRow = Readonly<Record<string, unknown>> & {
  readonly "~ObjectID": string;
  readonly "~ClassName": string;
};

/** Whether a value of an attribute is another object, or a collection of them. */
export const isRow = (value: unknown): value is ObjectRow =>
  typeof value === "object" && value !== null && "~ObjectID" in value;

export function countOf(value: unknown): number {
  return typeof value === "object" && value !== null && "~Count" in value ? Number(value["~Count"]) : 0;
}

/** The day or the instant of a value, as `Date` reads it. `~StoreTime` has the basic format of ISO 8601. */
export function isoTime(text: string): string {
  return text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6");
}

export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/** A value of a list as text: dates, numbers and JSON as the server writes them, objects by their titles. */
export function cellText(row: ObjectRow, { name, type, targetTitle }: ValueColumn): string {
  if (type === "title") return titleOf(row, targetTitle);
  const value = row[name];
  if (value === undefined || value === null) return "";
  if (type === "collection") return String(countOf(value));
  return isRow(value) ? titleOf(value, targetTitle) : String(beginningOf(value));
}

/** Cells as lines of tab-separated values. Spreadsheets take quotes around texts with tabs and line breaks. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const quoted = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => (rows.length * cells.length === 1 ? cells[0] : cells.map(quoted).join("\t"))).join("\n");
}
