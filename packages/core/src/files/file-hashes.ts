/** Digests of bytes, in lowercase hex digits. */
export interface ByteDigests {
  readonly sha256: string;
  /** `null`: not computed. */
  readonly md5: string | null;
}

/** SHA-256 of bytes in order. */
export interface Sha256Stream {
  update(bytes: Uint8Array): void;
  digest(): string;
}

/**
 * Digests of bytes in order, computed in another thread. If it fails, all later calls reject. `close` must follow, and no
 * call after it.
 */
export interface DigestStream {
  readonly hasMd5: boolean;
  /** The promise, if there is one, must be awaited before the next call; until then the bytes may not change. */
  update(bytes: Uint8Array): Promise<void> | undefined;
  /** The digests of the bytes so far. More may follow. */
  digests(): Promise<ByteDigests>;
  /** A stream of its own that goes on behind the same bytes. */
  copy(withMd5: boolean): DigestStream;
  close(): void;
}

/** Port: digests and checksums of files. */
export interface FileHashes {
  /** For the bytes of one request, in this thread. */
  sha256(): Sha256Stream;
  open(withMd5: boolean): DigestStream;
  /** CRC-32. `before`: that of the bytes in front of these; 0 for none. */
  checksum(bytes: Uint8Array, before: number): number;
}
