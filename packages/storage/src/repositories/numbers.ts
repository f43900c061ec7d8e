import type { RowReader, Rows } from "../kernel/rows.ts";
import { numberTable, type Series } from "./tables.ts";

/** The present number of a series; 0 if there was none. */
export async function currentNumber(rows: RowReader, series: Series): Promise<number> {
  return (await rows.get(numberTable, series))?.number ?? 0;
}

export async function setNumber(rows: Rows, series: Series, number: number): Promise<void> {
  await rows.put(numberTable, { series, number });
}

/** Takes the next numbers of a series. Returns the first one; the series begins with 1. */
export async function nextNumbers(rows: Rows, series: Series, count = 1): Promise<number> {
  const last = await currentNumber(rows, series);
  if (count > 0) await setNumber(rows, series, last + count);
  return last + 1;
}

/** Takes the next numbers of a series. No number is given twice, not even behind a transaction that was rolled back. */
export async function newNumbers(rows: Rows, series: "object" | "record", count = 1): Promise<number> {
  const first = Math.max(await currentNumber(rows, series), rows.storage.numbers.get(series) ?? 0) + 1;
  // A claim that finds nothing must not write: with a file as a database it would wait for the disk.
  if (count === 0) return first;
  rows.storage.numbers.set(series, first + count - 1);
  await setNumber(rows, series, first + count - 1);
  return first;
}

/** Raises a series to this number at least. */
export async function raiseNumber(rows: Rows, series: Series, number: number): Promise<void> {
  if (number > (await currentNumber(rows, series))) await setNumber(rows, series, number);
}
