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
  /** Milliseconds since its last segment was added, or since it was created. Never more; other changes may reset it to 0. */
  readonly age: number;
}

/**
 * Port: the bytes of files. A file is a set of segments. Core keeps their order in the database, so a store never joins,
 * renames or appends, and completing a file costs nothing. That fits a directory and an object storage alike.
 *
 * Core creates a file before it writes segments, and never uses a name twice. A text that is not a name names nothing:
 * `create` throws 700, `write` 702, `read` 707, and `remove` ignores it.
 *
 * Every method throws 709 if the store itself is gone, except `read` (707), `remove` (nothing is left to remove), and
 * `freeBytes` if it does not ask the store. `remove`, `list` and `freeBytes` throw 702 for other failures.
 */
export interface FileStore {
  /** Makes a new file without segments. Throws 700 if it cannot. */
  create(file: string): Promise<void>;

  /**
   * Writes a segment and returns its length in bytes. When the promise resolves, the bytes survive a crash of the machine.
   * Until then the segment cannot be read. If it rejects, the segment does not exist. It rejects with the error of `content`
   * if that failed, with 709 if the store is gone, and with 702 if the bytes cannot be stored. Examples of 702 are a full
   * disk and a file that was removed. Memory does not grow with the content. The store does not keep the chunks.
   */
  write(name: SegmentName, content: AsyncIterable<Uint8Array>): Promise<number>;

  /**
   * Reads a range of a segment. Throws 707 before the first byte if the segment is gone or shorter than the range. The
   * iteration throws 707 if reading fails later. It can be iterated once. It holds resources until its end: a caller that
   * does not reach the end calls `return` of the iterator, also if it has never called `next`. The chunks belong to the caller.
   */
  read(name: SegmentName, range: ByteRange): Promise<AsyncIterable<Uint8Array>>;

  /**
   * Removes segments, or a file with all its segments. Missing ones are ignored. Open reads may fail with 707. A write into
   * the file that runs at the same time can leave the file behind; a later removal removes it.
   */
  remove(names: readonly SegmentName[] | { readonly file: string }): Promise<void>;

  /**
   * At most `limit` files after a name, or from the first (`null`), ordered by name. An empty page is the last. Includes
   * files without segments and files of interrupted writes.
   */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<FoundFile[]>;

  /** Bytes that can still be stored; `null` if the store does not know. */
  freeBytes(): Promise<number | null>;
}
