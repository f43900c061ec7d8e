import type { Digest } from "../digests/digest.ts";
import type { ServerKeyPair } from "../keys/server-key.ts";
import type { RsaPadding } from "./rsa-padding.ts";

/** What a client had encrypted block by block for the server. */
export interface OpenedCredentials {
  /** The key that opened it. */
  readonly keyId: string;
  readonly padding: RsaPadding;
  /** SHA-256 of each cipher block, in order. No two texts have the same block digests and different contents. */
  readonly blocks: readonly Digest[];
  /**
   * The contents of all blocks, joined. With PKCS#1 v1.5 they are pseudo-random when the padding was wrong (implicit
   * rejection), so that nobody learns whether it was: whatever does not make sense must be answered like `undefined`.
   */
  readonly plain: Uint8Array;
}

/** Port: opening what clients encrypt with the server's RSA key, be it credentials or passwords. */
export interface CredentialsCipher {
  /**
   * Opens base64 of 1 to 16 cipher blocks, all for one of the accepted keys (of kind `rsa`) and in one padding.
   * Everything wrong is `undefined`; for the same number of blocks and the same keys it costs the same work.
   * Runs beside the event loop in a bounded queue; a full queue is 706.
   */
  open(credentials: string, accepted: readonly ServerKeyPair[]): Promise<OpenedCredentials | undefined>;
}
