import { decodeBase64, encodeBase64 } from "./base64.ts";
import { counterBlockLength } from "./counter-block.ts";

/** What the header `Encrypted` says. */
export interface EncryptedHeader {
  /** The counter block the message begins with, 16 bytes; absent on the answer to a log-in, which RSA protects. */
  readonly iv?: Uint8Array;
}

/** 16 bytes are 22 digits of base64, of which the last stands for two bits only. */
const grammar = /^[ \t]*[vV]=1(?:[ \t]*;[ \t]*[iI][vV]=([A-Za-z0-9+/]{21}[AQgw]==))?[ \t]*$/;
const longest = 64;

/** The value of the header: `v=1`, or `v=1;iv=` and the base64 of a counter block. */
export function formatEncryptedHeader({ iv }: EncryptedHeader = {}): string {
  if (iv === undefined) return "v=1";
  if (iv.length !== counterBlockLength) throw new RangeError("a counter block has 16 bytes");
  return `v=1;iv=${encodeBase64(iv)}`;
}

/**
 * Reads the value of the header. Blanks around the two parts and capital letters in their names are tolerated, nothing
 * else is: any other text, a second value or another version is `undefined`.
 */
export function parseEncryptedHeader(value: string): EncryptedHeader | undefined {
  if (value.length > longest) return undefined;
  const match = grammar.exec(value);
  if (match === null) return undefined;
  if (match[1] === undefined) return {};
  const iv = decodeBase64(match[1]);
  return iv && { iv };
}
