import dayjs, { type ManipulateType } from "dayjs";

const units: Readonly<Record<string, ManipulateType>> = { h: "hour", d: "day", w: "week", m: "month", y: "year" };

const form = /^(today|now)(?:([+-])(\d{1,4})([hdwmy]))?$/;

/** What a field offers. */
export const relativeDates = ["today", "today-7d", "today-1m", "today-1y", "now-1h", "now-24h"] as const;

/**
 * The date that a text such as `today-7d` or `now-2h` stands for: a day of the calendar of the browser, or an instant. Other
 * values are returned as they are. The last day of a month stands for a day that the month lacks.
 */
export function resolvedDate(value: unknown, now: Date = new Date()): unknown {
  const [, base, sign, amount = "0", unit = "d"] = typeof value === "string" ? (form.exec(value) ?? []) : [];
  if (base === undefined) return value;
  const moved = dayjs(now).add(Number(`${sign ?? "+"}${amount}`), units[unit] ?? "day");
  return base === "today" ? moved.format("YYYY-MM-DD") : moved.toDate().toISOString();
}
