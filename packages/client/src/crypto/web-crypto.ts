import { ChannelError } from "../errors.ts";

/** Bytes as WebCrypto takes them: not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The same bytes, copied only if they are in shared memory. */
export function unshared(bytes: Uint8Array): Bytes {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Bytes) : new Uint8Array(bytes);
}

/** WebCrypto, required for all encrypted modes. Throws a `ChannelError` if it is unavailable. */
export function webCrypto(): Crypto {
  // Browsers omit `subtle` on insecure pages, contrary to its type.
  const { crypto } = globalThis as { crypto?: Partial<Crypto> };
  if (crypto?.subtle === undefined) throw new ChannelError("no-web-crypto");
  return crypto as Crypto;
}
