import { type AttributeType, isStorable, isStorableText, type JsonValue } from "@sallyport/storage";

/** Types whose values are not links. */
export type PlainType = Exclude<AttributeType, "reference" | "file" | "collection">;

export interface PlainRule {
  /** Description of valid values, before "is expected" in error messages. */
  readonly expected: string;
  /** The value in stored form; `undefined` if invalid. Not called for null. */
  readonly accept: (value: JsonValue) => JsonValue | undefined;
}

const rules: Readonly<Record<PlainType, PlainRule>> = {
  string: {
    expected: "A string without null characters and unpaired surrogates",
    accept: (value) => (typeof value === "string" && isStorableText(value) ? value : undefined),
  },
  number: {
    expected: "A finite number",
    accept: (value) => {
      // A double by its type, so that its value is rounded. JSON stays as it was sent, or is refused.
      const number = isInexact(value) ? Number(value) : value;
      return typeof number === "number" && Number.isFinite(number) ? number : undefined;
    },
  },
  boolean: {
    expected: "true or false",
    accept: (value) => (typeof value === "boolean" ? value : undefined),
  },
  date: {
    expected: "A date such as 2026-01-31, or a time with an offset such as 2026-01-31T09:30:00Z,",
    accept: (value) => (typeof value === "string" ? dateValue(value) : undefined),
  },
  json: {
    expected: "JSON with numbers that a double holds exactly, without null characters and unpaired surrogates",
    accept: (value) => (isStorable(value) && isExactJson(value) ? value : undefined),
  },
};

export function plainRule(type: PlainType): PlainRule {
  return rules[type];
}

/** Whether a value is a number that no double holds as it was sent, such as 9007199254740993, 1e400 or -0. Routes pass a `Number` object. */
function isInexact(value: unknown): boolean {
  return typeof value === "object" && Object.prototype.toString.call(value) === "[object Number]";
}

/** Whether a double holds each number as it was sent. */
export function isExactJson(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return true;
  return !isInexact(value) && Object.values(value).every(isExactJson);
}

const day = /^(\d{4})-(\d{2})-(\d{2})$/;
const time = /^T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(0\d|1\d|2[0-3]):([0-5]\d))$/;

/**
 * The canonical form of a date: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:mm:ss.sssZ` for a point in time. Accepts ISO 8601 texts
 * of both kinds. A point in time needs an offset (`Z`, `+hh:mm`); seconds are optional, and digits below a millisecond
 * are cut off. `undefined` if invalid or outside the years 0001 to 9999. Canonical texts sort chronologically.
 */
export function dateValue(text: string): string | undefined {
  const date = day.exec(text.slice(0, 10));
  if (date === null) return undefined;
  const start = startOf(Number(date[1]), Number(date[2]), Number(date[3]));
  if (start === null) return undefined;
  return text.length === 10 ? text : pointInTime(start, text.slice(10));
}

/** Start of a day in UTC; `null` if the day does not exist. */
function startOf(year: number, month: number, dayOfMonth: number): Date | null {
  // The constructor maps the years 0 to 99 to 1900 to 1999.
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, dayOfMonth);
  const exists =
    year > 0 &&
    start.getUTCFullYear() === year &&
    start.getUTCMonth() === month - 1 &&
    start.getUTCDate() === dayOfMonth;
  return exists ? start : null;
}

function pointInTime(start: Date, text: string): string | undefined {
  const match = time.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes, seconds = "0", fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const moment = new Date(
    start.getTime() + (Number(hours) * 60 + Number(minutes) - offset) * 60_000 + Number(seconds) * 1_000 + milliseconds,
  );
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? moment.toISOString() : undefined;
}
