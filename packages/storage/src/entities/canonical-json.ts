import type { JsonValue } from "./stored-object.ts";

/**
 * Canonical text of a JSON value. Equals the text of a PostgreSQL `jsonb`, so stored text needs no parsing. Members are
 * sorted by the UTF-8 length of their names, then by the bytes. A space follows each comma and colon. Numbers have all
 * digits, without an exponent.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(", ")}]`;
  const members = [];
  for (const [name, member] of Object.entries(value as Readonly<Record<string, JsonValue | undefined>>).toSorted(
    byName,
  ))
    if (member !== undefined) members.push(`${JSON.stringify(name)}: ${canonicalJson(member)}`);
  return `{${members.join(", ")}}`;
}

/** Whether two values are stored alike: the order of members and the spelling of numbers do not matter. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

/** Pure ASCII names need no conversion. */
const ascii = /^[\0-\x7f]*$/;

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/** UTF-8 bytes, one character per byte. */
function bytesOf(text: string): string {
  return ascii.test(text) ? text : unescape(encodeURIComponent(text));
}

function numberText(value: number): string {
  const text = JSON.stringify(value);
  const [mantissa = "", exponent] = text.split("e");
  if (exponent === undefined) return text;
  const sign = value < 0 ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const power = Number(exponent);
  if (power > 0) return `${sign}${whole}${fraction.padEnd(power, "0")}`;
  return `${sign}0.${"0".repeat(-power - 1)}${whole}${fraction}`;
}
