import type { ArchiveRecord } from "@sallyport/storage";
import { type ArchivedFile, type EarlierRecord, earlierSections, fromEarlier } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import {
  ArchiveChecksum,
  ArchiveFault,
  type ArchiveHeader,
  checkLineOf,
  jsonOf,
  partObject,
  readHeader,
  schemaOf,
  type Section,
} from "./archive-format.ts";

/** An archive with a parsed header. */
interface OpenedArchive {
  readonly header: ArchiveHeader;
  /**
   * Throws an `ArchiveFault` at the first damage. The archive is complete if the iteration ends normally. The bytes of a
   * file that are not read are skipped.
   */
  readonly records: AsyncGenerator<ArchiveRecord | ArchivedFile>;
}

/** Opens an archive. Throws an `ArchiveFault` if the header is invalid. */
export async function openArchive(chunks: AsyncIterable<Uint8Array>): Promise<OpenedArchive> {
  const archive = new ArchiveLines(chunks);
  const lines = archive.read();
  const first = await nextOf(lines, 1);
  const result = readHeader(first.text);
  if (typeof result === "string") throw new ArchiveFault(first.number, result);
  const { header, sections } = result;
  const check = await nextOf(lines, 2);
  if (`${check.text}\n` !== checkLineOf(`${first.text}\n`))
    throw new ArchiveFault(first.number, "the header was altered.");
  archive.startOver();
  const records = readRecords(lines, sections);
  if (sections !== earlierSections) return { header, records: records as OpenedArchive["records"] };
  const earlier = records as AsyncGenerator<ArchiveRecord | EarlierRecord>;
  return { header, records: fromEarlier(earlier, Date.parse(header.writtenAt), new NodeDigests()) };
}

async function nextOf(lines: AsyncGenerator<ArchiveLine>, number: number): Promise<ArchiveLine> {
  const { done, value } = await lines.next();
  if (done === true) throw new ArchiveFault(number, "the archive is truncated.");
  return value;
}

async function* readRecords(
  lines: AsyncGenerator<ArchiveLine>,
  sections: readonly Section[],
): AsyncGenerator<ArchiveRecord | EarlierRecord | ArchivedFile> {
  const counts = new Map<Section, number>();
  let section: Section | undefined;
  for await (const { number, text } of lines) {
    if (text.startsWith('{"section":')) {
      section = nextSection(number, text, sections, section);
    } else if (text.startsWith(endStart)) {
      if (text !== JSON.stringify({ end: Object.fromEntries(counts) }))
        throw new ArchiveFault(number, "the number of records does not match.");
    } else {
      if (section === undefined) throw new ArchiveFault(number, "the record belongs to no section.");
      counts.set(section, (counts.get(section) ?? 0) + 1);
      if (section === "files") yield* fileOf(recordOf(number, text, section) as Omit<ArchivedFile, "bytes">, lines);
      else yield recordOf(number, text, section) as ArchiveRecord | EarlierRecord;
    }
  }
}

/** Yields a file, and then skips what was not read of it. */
async function* fileOf(
  record: Omit<ArchivedFile, "bytes">,
  lines: AsyncGenerator<ArchiveLine>,
): AsyncGenerator<ArchivedFile> {
  const bytes = bytesOf(record.value.size, lines);
  yield { ...record, bytes };
  for await (const _ of bytes);
}

async function* bytesOf(size: number, lines: AsyncGenerator<ArchiveLine>): AsyncGenerator<Uint8Array, void, undefined> {
  for (let left = size; left > 0; ) {
    const { done, value } = await lines.next();
    // The lines have thrown if the archive is truncated.
    if (done === true) return;
    const { number, text } = value;
    const bytes = Buffer.from(text.startsWith('"') ? text.slice(1, -1) : "", "base64");
    if (bytes.length === 0 || bytes.length > left)
      throw new ArchiveFault(number, "these are not the bytes of the file.");
    left -= bytes.length;
    yield bytes;
  }
}

function nextSection(number: number, text: string, sections: readonly Section[], before: Section | undefined): Section {
  const { section } = (jsonOf(text) ?? {}) as { readonly section?: unknown };
  const place = sections.findIndex((each) => each === section);
  const expectedSection = sections[place];
  if (expectedSection === undefined) throw new ArchiveFault(number, "the section is unknown.");
  if (before !== undefined && place <= sections.indexOf(before))
    throw new ArchiveFault(number, `the section ${expectedSection} is in the wrong place.`);
  return expectedSection;
}

function recordOf(number: number, text: string, section: Section): object {
  const containsObject = ["objects", "tombstones", "departures"].includes(section);
  const parts = containsObject ? partObject(text) : undefined;
  const { data } = schemaOf(section).safeParse(parts?.value ?? jsonOf(text));
  if (data === undefined) throw new ArchiveFault(number, `this is not a record of the section ${section}.`);
  // The parsed object has no other owner. Copying a million of them would take longer than reading them.
  const record = data as { section?: Section; attributes?: object | string | null };
  record.section = section;
  if (containsObject && record.attributes !== null)
    record.attributes = parts?.attributes ?? JSON.stringify(record.attributes);
  return record;
}

interface ArchiveLine {
  readonly number: number;
  readonly text: string;
}

/** Maximum length of a line, in bytes. */
const maxLineLength = 64 * 1_048_576;
const lineBreak = 0x0a;

const checkStart = '{"check":';
const endStart = '{"end":';

/** Splits bytes into lines, and verifies the check lines among them. */
class ArchiveLines {
  private checksum = new ArchiveChecksum();
  private bytes: Buffer = Buffer.alloc(0);
  /** End of the bytes that the checksum covers. */
  private checksumEnd = 0;
  /** Start of the current line and of the next one. */
  private current = 0;
  private next = 0;
  /** Number of the last check line; 0 while the header is read. */
  private lastCheck = 0;
  /** `counted`: after the line of the counts. `complete`: after the check line that follows it. */
  private progress: "records" | "counted" | "complete" = "records";

  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {}

  /** Ends the header after the current line: restarts the checksum, and verifies from now on. */
  startOver(): void {
    this.checksum = new ArchiveChecksum();
    this.checksumEnd = this.next;
    this.lastCheck = 2;
  }

  /**
   * Yields lines without line breaks, numbered from 1, and without check lines after the header. Throws for a wrong
   * checksum, and if the archive does not end with its end.
   */
  async *read(): AsyncGenerator<ArchiveLine> {
    let number = 0;
    for await (const chunk of this.chunks) {
      this.append(chunk);
      for (let end = this.lineEnd(); end >= 0; end = this.lineEnd()) {
        number += 1;
        this.current = this.next;
        this.next = end + 1;
        const line = { number, text: this.bytes.toString("utf8", this.current, end) };
        if (!this.verify(line)) yield line;
      }
      if (this.bytes.length - this.next > maxLineLength) throw new ArchiveFault(number + 1, "the line is too long.");
    }
    if (this.next < this.bytes.length) throw new ArchiveFault(number + 1, "the archive is truncated in this line.");
    if (this.lastCheck > 0 && this.progress !== "complete")
      throw new ArchiveFault(number + 1, "the archive is truncated.");
  }

  /** Verifies a check line after the header. Returns whether the line is one. */
  private verify({ number, text }: ArchiveLine): boolean {
    if (this.lastCheck === 0) return false;
    const isCheck = text.startsWith(checkStart);
    if (this.progress === "complete" || (this.progress === "counted" && !isCheck))
      throw new ArchiveFault(number, "the archive continues after its end.");
    if (isCheck) {
      this.addToChecksum(this.current);
      if (`${text}\n` !== this.checksum.line())
        throw new ArchiveFault(
          number,
          `the checksum does not match. A line between line ${this.lastCheck + 1} and this one was altered, lost or moved.`,
        );
      this.lastCheck = number;
      if (this.progress === "counted") this.progress = "complete";
    } else if (text.startsWith(endStart)) this.progress = "counted";
    return isCheck;
  }

  private lineEnd(): number {
    return this.bytes.indexOf(lineBreak, this.next);
  }

  /** Keeps the unread bytes and appends a chunk. */
  private append(chunk: Uint8Array): void {
    this.addToChecksum(this.next);
    this.bytes = Buffer.concat([this.bytes.subarray(this.next), chunk]);
    [this.checksumEnd, this.current, this.next] = [0, 0, 0];
  }

  private addToChecksum(upTo: number): void {
    if (upTo > this.checksumEnd) this.checksum.add(this.bytes.subarray(this.checksumEnd, upTo));
    this.checksumEnd = Math.max(this.checksumEnd, upTo);
  }
}
