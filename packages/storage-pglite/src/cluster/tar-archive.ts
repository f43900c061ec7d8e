/** A file or directory of an archive. */
export interface ArchivedFile {
  /** Relative, without a slash at the beginning or end. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** A part of the archive: a change of it changes the archive. */
  readonly data: Uint8Array;
}

const recordSize = 512;
const offsets = { size: 124, checksum: 148, type: 156, data: recordSize } as const;
const directoryType = "5".charCodeAt(0);

/**
 * The files and directories of a tar archive, as the engine dumps a cluster: paths of at most 100 bytes, no links. Throws
 * for a damaged one.
 */
export function filesOf(archive: Uint8Array): ArchivedFile[] {
  const files: ArchivedFile[] = [];
  for (let offset = 0; archive[offset] !== 0; ) {
    const header = archive.subarray(offset, offset + recordSize);
    if (header.length < recordSize || checksumOf(header) !== numberIn(header, offsets.checksum, 8))
      throw new Error("the archive of the database is damaged");
    const size = numberIn(header, offsets.size, 12);
    const start = offset + recordSize;
    offset = start + Math.ceil(size / recordSize) * recordSize;
    if (offset > archive.length) throw new Error("the archive of the database is incomplete");
    files.push({
      path: textIn(header, 0, 100).replaceAll(/^\/+|\/+$/g, ""),
      isDirectory: header[offsets.type] === directoryType,
      data: archive.subarray(start, start + size),
    });
  }
  return files;
}

/** An archive of these files and directories. */
export function archiveOf(files: readonly Pick<ArchivedFile, "path" | "isDirectory" | "data">[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { path, isDirectory, data } of files) {
    const header = Buffer.alloc(recordSize);
    header.write(path, 0, 100);
    header.write(isDirectory ? "0000700" : "0000600", 100);
    header.write("0000000", 108);
    header.write("0000000", 116);
    header.write(data.length.toString(8).padStart(11, "0"), offsets.size);
    header.write("00000000000", 136);
    header[offsets.type] = isDirectory ? directoryType : "0".charCodeAt(0);
    header.write("ustar\u000000", 257);
    header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\u0000 `, offsets.checksum);
    parts.push(header, data, Buffer.alloc(-data.length & (recordSize - 1)));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * recordSize)]);
}

/** The sum of the bytes, with spaces in place of the checksum itself. */
function checksumOf(header: Uint8Array): number {
  return header.reduce(
    (sum, byte, index) => sum + (index >= offsets.checksum && index < offsets.checksum + 8 ? 0x20 : byte),
    0,
  );
}

function textIn(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString();
}

/** An octal number. */
function numberIn(header: Uint8Array, start: number, length: number): number {
  return Number.parseInt(textIn(header, start, length).trim(), 8);
}
