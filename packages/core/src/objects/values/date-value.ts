const day = /^(\d{4})-(\d{2})-(\d{2})$/;
const time = /^T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(0\d|1\d|2[0-3]):([0-5]\d))$/;

/**
 * The form in which a date is stored, compared and answered: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:mm:ss.sssZ` for a point in
 * time. Taken are ISO 8601 texts of these two kinds; a point in time names its offset from UTC (`Z`, `+hh:mm`) and may
 * leave out seconds, and what is finer than a millisecond is cut off. `null` when it is none, or no day of the
 * years 0001 to 9999. As the years have four digits, comparing such texts is comparing times.
 */
export function dateValue(text: string): string | null {
  const date = day.exec(text.slice(0, 10));
  if (date === null) return null;
  const start = startOf(Number(date[1]), Number(date[2]), Number(date[3]));
  if (start === null) return null;
  return text.length === 10 ? text : pointInTime(start, text.slice(10));
}

/** The beginning of a day, or `null` if there is no such day. */
function startOf(year: number, month: number, dayOfMonth: number): Date | null {
  // The constructor takes the years 0 to 99 for others.
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, dayOfMonth);
  const exists =
    year > 0 &&
    start.getUTCFullYear() === year &&
    start.getUTCMonth() === month - 1 &&
    start.getUTCDate() === dayOfMonth;
  return exists ? start : null;
}

function pointInTime(start: Date, text: string): string | null {
  const match = time.exec(text);
  if (match === null) return null;
  const [, hours, minutes, seconds = "0", fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const moment = new Date(
    start.getTime() + (Number(hours) * 60 + Number(minutes) - offset) * 60_000 + Number(seconds) * 1_000 + milliseconds,
  );
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? moment.toISOString() : null;
}
