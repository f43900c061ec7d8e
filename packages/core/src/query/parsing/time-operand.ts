import { dateValue } from "../../objects/values/date-value.ts";

/** The milliseconds from `from` up to and without `to`. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

const storeTime = /^(\d{4})(\d{2})(\d{2})(T\d{2})(\d{2})(\d{2}(?:[+-]\d{2}:\d{2}|Z))$/;
const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/**
 * Reads a time as `~StoreTime` writes it, or a date or time of ISO 8601 (a date is one of UTC). It stands for all the time
 * that it does not tell apart, so that what an answer shows is equal to it: mostly a second. `null` when it is none.
 */
export function timeSpan(text: string): TimeSpan | null {
  // A plus sign that a client did not encode arrives as a blank.
  const iso = text.replace(/ (?=\d{2}:\d{2}$)/, "+").replace(storeTime, "$1-$2-$3$4:$5:$6");
  const canonical = dateValue(iso);
  if (canonical === null) return null;
  const from = Date.parse(canonical);
  return { from, to: from + precisionOf(iso) };
}

function precisionOf(iso: string): number {
  if (iso.includes(".")) return 1;
  if (!iso.includes("T")) return day;
  return /T\d{2}:\d{2}:\d{2}/.test(iso) ? second : minute;
}
