import type { Digest } from "@sallyport/core";

/** A cipher block of a secure log-in as stored. */
export interface CipherBlockRecord {
  readonly clientKey: Digest;
  /** Id of the server's key that it is encrypted for. */
  readonly keyId: string;
  readonly uses: number;
  /** Milliseconds since 1970 by the storage's clock. */
  readonly firstUsedAt: number;
}
