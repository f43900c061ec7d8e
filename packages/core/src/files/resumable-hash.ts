/** A digest over bytes that arrive in several requests, in any process. */
export interface ResumableHash {
  update(bytes: Uint8Array): void;
  /** Digest of the bytes so far, in lowercase hex digits. More bytes may follow. */
  digest(): string;
  /** The state as text of at most 1,000 characters. It can contain some of the last bytes. */
  save(): string;
}

/** Port: digests that can be saved and continued. */
export interface ResumableHashes {
  begin(algorithm: "md5" | "sha256"): Promise<ResumableHash>;

  /**
   * For all bytes of a file in one request, several times faster. Its saved state has the digest only: `digest` works after
   * `resume`, and `update` throws.
   */
  beginWhole(algorithm: "md5" | "sha256"): ResumableHash;

  /** Continues from a saved state; `null` if another version of the adapter saved it. */
  resume(algorithm: "md5" | "sha256", saved: string): Promise<ResumableHash | null>;
}
