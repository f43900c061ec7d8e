/** A segment of a file: bytes that are written once and never change. Both names are 32 lowercase hex digits, random. */
export interface SegmentName {
  readonly file: string;
  readonly segment: string;
}

/** A range of bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A file in the store, complete or not. */
export interface FoundFile {
  readonly file: string;
  /** Milliseconds since its last segment was added, or since it was created. */
  readonly age: number;
}

/**
 * Port: the bytes of files. A file is a set of segments. Core keeps their order in the database, so a store never joins,
 * renames or appends, and completing a file costs nothing. That fits a directory and an object storage alike.
 *
 * Core never uses a name twice.
 */
export interface FileStore {
  /** Whether all servers of a database see the same files. */
  readonly shared: boolean;

  /** Makes room for a new file. Throws 700 if it cannot, and 709 if the store itself is gone. */
  create(file: string): Promise<void>;

  /**
   * Writes a segment and returns its length in bytes. When the promise resolves, the bytes survive a crash of the machine.
   * If it rejects, the segment does not exist: with the error of `content` if that failed, with 709 if the store is gone,
   * and with 702 if the bytes cannot be stored, for example for lack of space. Memory does not grow with the content.
   */
  write(name: SegmentName, content: AsyncIterable<Uint8Array>): Promise<number>;

  /**
   * Reads a range of a segment. Throws 707 before the first byte if the segment is gone or shorter than the range. The
   * iteration throws 707 if reading fails later. Ending it early releases everything.
   */
  read(name: SegmentName, range: ByteRange): Promise<AsyncIterable<Uint8Array>>;

  /** Removes segments, or a file with all its segments. Missing ones are ignored. Open reads may fail with 707. */
  remove(names: readonly SegmentName[] | { readonly file: string }): Promise<void>;

  /** At most `limit` files after a name, or from the first (`null`), by name. Includes files of interrupted writes. */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<FoundFile[]>;

  /** Bytes that can still be stored; `null` if the store does not know. */
  freeBytes(): Promise<number | null>;
}
