import type { ServerPublicKey } from "./server-key.ts";

/** A key pair to be kept. */
export interface WrappedKeyPair extends ServerPublicKey {
  /** Wrapped under the master key; storage never sees the private key itself. */
  readonly wrappedPrivateKey: string;
}

/** A key pair as kept. Times are by the storage's clock, milliseconds since 1970. */
export interface StoredKey extends WrappedKeyPair {
  readonly createdAt: number;
  /** From then on the key is refused; `null` while it is the current one. */
  readonly acceptedUntil: number | null;
}
