import { decodeBase64, encodeBase64 } from "../secure/base64.ts";

/** What a cursor carries: the query it belongs to, and the position of an object in the order of that query. */
export interface CursorFields {
  readonly query: string;
  readonly position: { readonly values: readonly (string | number | boolean | null)[]; readonly id: string };
}

/** A cursor as clients get it: opaque to them, and made of letters, digits, `-` and `_`. */
export function encodeCursor({ query, position: { values, id } }: CursorFields): string {
  const json = JSON.stringify([query, id, ...values]);
  const ascii = json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const bytes = Uint8Array.from(ascii, (character) => character.charCodeAt(0));
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads it back; `null` for every text that is none. */
export function decodeCursor(text: string): CursorFields | null {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  const bytes = decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
  if (bytes === undefined) return null;
  try {
    const [query, id, ...values] = JSON.parse(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) as unknown[];
    return typeof query === "string" && typeof id === "string" && values.every(isValue) ? { query, position: { values, id } } : null;
  } catch {
    return null;
  }
}

function isValue(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
