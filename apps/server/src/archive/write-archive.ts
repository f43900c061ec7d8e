import { type ArchiveChunk, type ArchiveRecord, canonicalJson, type JsonValue } from "@sallyport/storage";
import { type ArchivedFile } from "@sallyport/core";
import { ArchiveChecksum, type ArchiveHeader, checkLineOf, headerLine, type Section } from "./archive-format.ts";

/** Maximum number of lines, and of their characters, before a check line. */
const maxLines = 1_000;
const maxCharacters = 1_048_576;

/** Bytes of a file per line: a multiple of three, so that only the last line has padding. */
const bytesPerLine = 196_608;

/** Yields the bytes of an archive. The same contents yield the same bytes after the header. */
export async function* writeArchive(
  header: ArchiveHeader,
  parts: AsyncIterable<ArchiveChunk | ArchivedFile>,
): AsyncGenerator<Buffer> {
  const first = headerLine(header);
  yield Buffer.from(`${first}${checkLineOf(first)}`);

  const checksum = new ArchiveChecksum();
  const counts = new Map<Section, number>();
  let section: Section | null = null;
  const lines = new LineBlock();
  let linesInBlock = 0;
  const endBlock = (): Buffer => {
    const bytes = lines.take();
    checksum.add(bytes);
    // The next block contains the check line and includes it in its own checksum.
    lines.add(checksum.line());
    linesInBlock = 0;
    return bytes;
  };
  for await (const part of parts) {
    const records = "section" in part ? [part] : part;
    for (const record of records) {
      if (record.section !== section) {
        if (section !== null) yield endBlock();
        section = record.section;
        lines.add(`${JSON.stringify({ section })}\n`);
      }
      lines.add(recordLine(record));
      linesInBlock += 1;
      if (linesInBlock === maxLines || lines.characters > maxCharacters) yield endBlock();
      if (record.section !== "files") continue;
      for await (const bytes of inPortions(record.bytes, bytesPerLine)) {
        lines.add(`"${bytes.toString("base64")}"\n`);
        linesInBlock += 1;
        if (lines.characters > maxCharacters) yield endBlock();
      }
    }
    if (section !== null) counts.set(section, (counts.get(section) ?? 0) + records.length);
  }
  if (linesInBlock > 0) yield endBlock();
  lines.add(`${JSON.stringify({ end: Object.fromEntries(counts) })}\n`);
  yield endBlock();
  yield lines.take();
}

/** Splits bytes into portions of this length; the last one can be shorter. */
async function* inPortions(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  const portion = Buffer.allocUnsafe(length);
  let filled = 0;
  for await (const each of bytes) {
    for (let at = 0; at < each.length; ) {
      const part = each.subarray(at, at + length - filled);
      portion.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled === length) yield portion;
      filled %= length;
    }
  }
  if (filled > 0) yield portion.subarray(0, filled);
}

/** Line of a record: canonical JSON. Attributes of objects are written as they come. */
function recordLine(record: ArchiveRecord | ArchivedFile): string {
  if (record.section === "objects") return `{${identity(record)}, ${state(record)}, ${attributesOf(record)}}\n`;
  if (record.section === "tombstones") {
    const { id, uuid, root, stamp, deletedBy } = record;
    const names = `"id": "${id}", "root": "${root}", "uuid": "${uuid}", "stamp": ${stamp}`;
    return `{${names}, ${state(record)}, "deletedBy": ${JSON.stringify(deletedBy)}, ${attributesOf(record)}}\n`;
  }
  // The section line before it names the section.
  return `${canonicalJson({ ...record, section: undefined, bytes: undefined } as unknown as JsonValue)}\n`;
}

type ObjectRecord = Extract<ArchiveRecord, { readonly stamp: number }>;

function identity({ id, uuid, stamp }: ObjectRecord): string {
  return `"id": "${id}", "uuid": "${uuid}", "stamp": ${stamp}`;
}

function state({ readers, version, storedAt, className }: ObjectRecord): string {
  const history = `"readers": ${readers === null ? "null" : canonicalJson(readers)}, "version": ${version}, "storedAt": ${storedAt}`;
  return `${history}, "className": ${JSON.stringify(className)}`;
}

function attributesOf({ attributes }: ObjectRecord): string {
  return `"attributes": ${attributes ?? "null"}`;
}

/** Initial size of the buffer in bytes. Enough for most blocks. */
const initialSize = 1_048_576;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const maxBytesPerUnit = 3;

/** Encodes lines one by one into a buffer. Joining them as text first would copy them twice. */
class LineBlock {
  /** Number of characters so far. */
  characters = 0;
  private bytes = Buffer.allocUnsafe(initialSize);
  private length = 0;

  add(line: string): void {
    const needed = this.length + line.length * maxBytesPerUnit;
    if (needed > this.bytes.length) this.grow(needed);
    this.length += this.bytes.write(line, this.length);
    this.characters += line.length;
  }

  /** Returns the added bytes and empties the block. The caller owns the buffer. */
  take(): Buffer {
    const block = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(initialSize);
    this.length = 0;
    this.characters = 0;
    return block;
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
