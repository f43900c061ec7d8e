/** The bytes `first` to `last` of a file, both included. */
export interface InclusiveRange {
  readonly first: number;
  readonly last: number;
}

/** The state of an upload. */
export interface UploadState {
  readonly uploadId: string;
  /** Bytes received from 0 without a gap. */
  readonly size: number;
  /** MD5 of these bytes, 32 lowercase hex digits. Absent if it is not asked for, or the bytes cannot be read. */
  readonly hash?: string;
  /** All bytes received, ascending, neither overlapping nor adjacent. */
  readonly ranges: readonly InclusiveRange[];
  /** Milliseconds since 1970 by the storage's clock. Each accepted chunk moves it. */
  readonly expiresAt: number;
}

/** Place of a chunk in its file (`Content-Range`). */
export interface ChunkRange extends InclusiveRange {
  /** Size of the file; `null` if the client does not know it yet. */
  readonly total: number | null;
}

/** What a request wants to know of an upload. */
export interface StateOptions {
  /** Default: `true`. */
  readonly hash?: boolean | undefined;
}

/** A file as it arrives. */
export interface IncomingFile {
  /** As sent; `null` if the client gives none. */
  readonly name: string | null;
  readonly mediaType: string | null;
  /** Iterated once. May be ended early. Its errors are rethrown unchanged. Its end is the end of the whole request. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Form fields, complete after the end of `bytes`. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Begins to receive a file. Called at most once, after the checks that need no bytes. */
export type ReceiveFile = () => Promise<IncomingFile>;
