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
