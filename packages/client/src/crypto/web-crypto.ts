import { ChannelError } from "../errors.ts";

/** Bytes as WebCrypto takes them: in memory that nobody shares. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** WebCrypto, without which only the modes without encryption work. */
export function webCrypto(): Crypto {
  // Browsers leave it out, against its type, on pages that came over an unprotected connection.
  const { crypto } = globalThis as { crypto?: Partial<Crypto> };
  if (crypto?.subtle === undefined) throw new ChannelError("no-web-crypto");
  return crypto as Crypto;
}

/** More arguments than this are too many for one call. */
const piece = 8_192;

/** Base64 with padding, by the platform's own means: for bodies of any length. */
export function bodyToBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += piece) characters += String.fromCharCode(...bytes.subarray(at, at + piece));
  return btoa(characters);
}

/** The bytes of base64 text, white space aside; `undefined` for what is none. */
export function base64ToBody(text: string): Bytes | undefined {
  let characters: string;
  try {
    characters = atob(text);
  } catch {
    return undefined;
  }
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}
