import type { JsonValue } from "./stored-object.ts";

/**
 * How many bytes a value takes as JSON text in UTF-8, the way databases write it: with a space behind each comma and colon, and
 * with all digits of a number. Nothing is longer the way that answers are written.
 */
export function jsonBytes(value: JsonValue): number {
  if (typeof value === "string") return textBytes(value);
  if (typeof value === "number") return numberBytes(value);
  if (typeof value === "boolean") return value ? 4 : 5;
  if (value === null) return 4;
  const isList = Array.isArray(value);
  let [bytes, members] = [0, 0];
  // What is stored was parsed: it inherits nothing that could be enumerated.
  for (const name in value) {
    bytes += isList ? 0 : textBytes(name) + 2;
    bytes += jsonBytes((value as Readonly<Record<string, JsonValue>>)[name] ?? null);
    members += 1;
  }
  return 2 + bytes + 2 * Math.max(0, members - 1);
}

/** The same of a text alone, with its quotation marks. */
export function textBytes(text: string): number {
  let bytes = 2;
  for (let index = 0; index < text.length; index += 1) bytes += unitBytes(text.charCodeAt(index));
  return bytes;
}

const shortEscapes = new Set(['"', "\\", "\b", "\f", "\n", "\r", "\t"].map((character) => character.charCodeAt(0)));

/** Of one unit of UTF-16; of a pair each has half of the four. */
function unitBytes(unit: number): number {
  if (unit >= 0x80) return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  if (unit > 0x22 && unit !== 0x5c) return 1;
  if (shortEscapes.has(unit)) return 2;
  return unit < 0x20 ? 6 : 1;
}

function numberBytes(value: number): number {
  const text = String(value);
  const [mantissa = "", exponent] = text.split("e");
  if (exponent === undefined) return Object.is(value, -0) ? 1 : text.length;
  const sign = value < 0 ? 1 : 0;
  const digits = mantissa.replaceAll(/[-.]/g, "").length;
  return sign + (Number(exponent) > 0 ? Number(exponent) + 1 : 1 - Number(exponent) + digits);
}
