/**
 * Part of a key: a text, a number, or both. Parts compare by position, so a position has one type of part. Texts sort by code points.
 */
export type KeyPart = string | number;

/** Ends a part. It sorts below every character that a part contains. */
const end = "\u0001";
const behindEnd = "\u0002";

/**
 * Encodes parts as one text whose order by code points is that of the parts, one after another. Texts contain no U+0000 and
 * no unpaired surrogate.
 */
export function keyOf(parts: readonly KeyPart[]): string {
  let key = "";
  for (const part of parts) key += (typeof part === "number" ? numberKey(part) : textKey(part)) + end;
  return key;
}

/** The range of all keys that begin with these parts. */
export function rangeOf(parts: readonly KeyPart[]): { readonly from?: string; readonly to?: string } {
  if (parts.length === 0) return {};
  const from = keyOf(parts);
  return { from, to: from.slice(0, -end.length) + behindEnd };
}

/** The ends of the range of all texts that begin with a text. */
export function textsFrom(beginning: string): { readonly from: readonly string[]; readonly to?: readonly string[] } {
  const characters = [...beginning];
  while (characters.at(-1) === "\u{10ffff}") characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return { from: [beginning] };
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return { from: [beginning], to: [characters.join("") + String.fromCodePoint(next)] };
}

/** The lowest key above this one. */
export function keyAfter(key: string): string {
  return key + end;
}

function textKey(text: string): string {
  // It keeps the order: below U+0003 come the end, U+0001 and U+0002.
  return text.replaceAll(behindEnd, `${behindEnd}\u0003`).replaceAll(end, behindEnd + behindEnd);
}

const view = new DataView(new ArrayBuffer(8));

/** Sixteen hexadecimal digits in the order of the numbers: the bits of a double, with the sign as the highest. */
function numberKey(number: number): string {
  // Without it, -0 would differ from 0.
  view.setFloat64(0, number + 0);
  const [high, low] = [view.getUint32(0), view.getUint32(4)];
  const isNegative = high >= 0x8000_0000;
  return isNegative ? digits(~high >>> 0) + digits(~low >>> 0) : digits(high + 0x8000_0000) + digits(low);
}

function digits(number: number): string {
  return number.toString(16).padStart(8, "0");
}

/** Compares two keys by code points, as their UTF-8 bytes. The order of JavaScript differs for characters above U+FFFF. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates represent code points above all others. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
