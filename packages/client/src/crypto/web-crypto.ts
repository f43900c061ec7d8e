import { ChannelError } from "../errors.ts";

/** Bytes as WebCrypto takes them: not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** WebCrypto, required for all encrypted modes. Throws a `ChannelError` if it is unavailable. */
export function webCrypto(): Crypto {
  // Browsers omit `subtle` on insecure pages, contrary to its type.
  const { crypto } = globalThis as { crypto?: Partial<Crypto> };
  if (crypto?.subtle === undefined) throw new ChannelError("no-web-crypto");
  return crypto as Crypto;
}
