import type { JsonValue } from "../objects/stored-object.ts";
import type { KeyWrapping } from "./key-wrapping.ts";

/** Seals JSON under the master key. */
export function sealJson(wrapping: KeyWrapping, value: JsonValue, purpose: string): string {
  return wrapping.wrap(bytesOf(JSON.stringify(value)), purpose);
}

/** The JSON that was sealed for the purpose; `undefined` for whatever this master key did not seal for it. */
export function openJson(wrapping: KeyWrapping, sealed: string, purpose: string): JsonValue | undefined {
  const bytes = wrapping.unwrap(sealed, purpose);
  return bytes === undefined ? undefined : (JSON.parse(asciiOf(bytes)) as JsonValue);
}

function asciiOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return text;
}

/** JSON in ASCII: what is not, it can escape. */
function bytesOf(json: string): Uint8Array {
  const ascii = json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return Uint8Array.from(ascii, (character) => character.codePointAt(0) ?? 0);
}
