import { type ArchiveRecord, type ArchiveSection, type EarlierRecord, fromEarlier } from "@sallyport/core";
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
} from "./archive-format.ts";

type Section = ArchiveSection | EarlierRecord["section"];

/** An archive with a parsed header. */
interface OpenedArchive {
  readonly header: ArchiveHeader;
  /** Throws an `ArchiveFault` at the first damage. The archive is complete if the iteration ends normally. */
  readonly records: AsyncGenerator<ArchiveRecord>;
}

/** Opens an archive. Throws an `ArchiveFault` if the header is invalid. */
export async function openArchive(chunks: AsyncIterable<Uint8Array>): Promise<OpenedArchive> {
  const lines = new ArchiveLines(chunks);
  const reading = lines.read();
  const first = await nextOf(reading, 1);
  const read = readHeader(first.text);
  if (typeof read === "string") throw new ArchiveFault(first.number, read);
  const { header, sections } = read;
  const check = await nextOf(reading, 2);
  if (`${check.text}\n` !== checkLineOf(`${first.text}\n`))
    throw new ArchiveFault(first.number, "the header was altered.");
  lines.startOver();
  const records = readRecords(lines, reading, sections);
  return { header, records: fromEarlier(records, Date.parse(header.writtenAt), new NodeDigests()) };
}

async function nextOf(reading: AsyncGenerator<ArchiveLine>, number: number): Promise<ArchiveLine> {
  const { done, value } = await reading.next();
  if (done === true) throw new ArchiveFault(number, "the archive is truncated.");
  return value;
}

async function* readRecords(
  lines: ArchiveLines,
  reading: AsyncGenerator<ArchiveLine>,
  sections: readonly Section[],
): AsyncGenerator<ArchiveRecord | EarlierRecord> {
  const counts = new Map<Section, number>();
  let section: Section | undefined;
  let lastCheck = 2;
  let lastLine = 2;
  let ended: "not yet" | "checked" | "counted" = "not yet";
  for await (const { number, text } of reading) {
    lastLine = number;
    if (ended === "checked") throw new ArchiveFault(number, "the archive continues after its end.");
    if (text.startsWith('{"check":')) {
      if (`${text}\n` !== lines.checkLine())
        throw new ArchiveFault(
          number,
          `the checksum does not match. A line between line ${lastCheck + 1} and this one was altered, lost or moved.`,
        );
      lastCheck = number;
      if (ended === "counted") ended = "checked";
    } else if (ended === "counted") {
      throw new ArchiveFault(number, "the archive continues after its end.");
    } else if (text.startsWith('{"section":')) {
      section = nextSection(number, text, sections, section);
    } else if (text.startsWith('{"end":')) {
      if (text !== JSON.stringify({ end: Object.fromEntries(counts) }))
        throw new ArchiveFault(number, "the number of records does not match.");
      ended = "counted";
    } else {
      if (section === undefined) throw new ArchiveFault(number, "the record belongs to no section.");
      counts.set(section, (counts.get(section) ?? 0) + 1);
      yield recordOf(number, text, section);
    }
  }
  if (ended !== "checked") throw new ArchiveFault(lastLine + 1, "the archive is truncated.");
}

function nextSection(number: number, text: string, sections: readonly Section[], before: Section | undefined): Section {
  const { section } = (jsonOf(text) ?? {}) as { readonly section?: unknown };
  const place = sections.findIndex((each) => each === section);
  const known = sections[place];
  if (known === undefined) throw new ArchiveFault(number, "the section is unknown.");
  if (before !== undefined && place <= sections.indexOf(before))
    throw new ArchiveFault(number, `the section ${known} is in the wrong place.`);
  return known;
}

function recordOf(number: number, text: string, section: Section): ArchiveRecord | EarlierRecord {
  const containsObject = ["objects", "tombstones", "departures"].includes(section);
  const parted = containsObject ? partObject(text) : undefined;
  const { data } = schemaOf(section).safeParse(parted?.value ?? jsonOf(text));
  if (data === undefined) throw new ArchiveFault(number, `this is not a record of the section ${section}.`);
  // The parsed object has no other owner. Copying a million of them would take longer than reading them.
  const record = data as { section?: Section; attributes?: object | string | null };
  record.section = section;
  if (containsObject && record.attributes !== null)
    record.attributes = parted?.attributes ?? JSON.stringify(record.attributes);
  return record as ArchiveRecord | EarlierRecord;
}

interface ArchiveLine {
  readonly number: number;
  readonly text: string;
}

/** Bytes. No line of an archive is longer. */
const maxLineLength = 64 * 1_048_576;
const lineBreak = 0x0a;

/** Splits bytes into lines and maintains their checksum. */
class ArchiveLines {
  private checksum = new ArchiveChecksum();
  private bytes: Buffer = Buffer.alloc(0);
  /** End of the bytes that the checksum covers. */
  private checked = 0;
  /** Start of the current line and of the next one. */
  private current = 0;
  private next = 0;

  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {}

  /** Check line of all lines before the current one. */
  checkLine(): string {
    this.check(this.current);
    return this.checksum.line();
  }

  /** Restarts the checksum after the current line. */
  startOver(): void {
    this.checksum = new ArchiveChecksum();
    this.checked = this.next;
  }

  /** Yields lines without line breaks, numbered from 1. Throws for an unterminated last line. */
  async *read(): AsyncGenerator<ArchiveLine> {
    let number = 0;
    for await (const chunk of this.chunks) {
      this.append(chunk);
      for (let end = this.lineEnd(); end >= 0; end = this.lineEnd()) {
        number += 1;
        this.current = this.next;
        this.next = end + 1;
        yield { number, text: this.bytes.toString("utf8", this.current, end) };
      }
      if (this.bytes.length - this.next > maxLineLength) throw new ArchiveFault(number + 1, "the line is too long.");
    }
    if (this.next < this.bytes.length) throw new ArchiveFault(number + 1, "the archive is truncated in this line.");
  }

  private lineEnd(): number {
    return this.bytes.indexOf(lineBreak, this.next);
  }

  /** Keeps the unread bytes and appends a chunk. */
  private append(chunk: Uint8Array): void {
    this.check(this.next);
    this.bytes = Buffer.concat([this.bytes.subarray(this.next), chunk]);
    [this.checked, this.current, this.next] = [0, 0, 0];
  }

  private check(upTo: number): void {
    if (upTo > this.checked) this.checksum.add(this.bytes.subarray(this.checked, upTo));
    this.checked = Math.max(this.checked, upTo);
  }
}
