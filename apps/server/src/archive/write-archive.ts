import type { ArchivePart, ArchiveSection } from "@sallyport/core";
import { ArchiveChecksum, checkLineOf } from "./archive-checksum.ts";
import { type ArchiveHeader, headerLine } from "./archive-header.ts";
import { LineBlock } from "./line-block.ts";
import { recordLine } from "./record-line.ts";

/** A check line comes at the latest after so many records, or characters of them. */
const mostRecords = 1_000;
const mostCharacters = 1_048_576;

/** The bytes of an archive, part by part. The same records give the same bytes, but for those of the header. */
export async function* writeArchive(header: ArchiveHeader, parts: AsyncIterable<ArchivePart>): AsyncGenerator<Buffer> {
  const first = headerLine(header);
  yield Buffer.from(`${first}${checkLineOf(first)}`);

  const checksum = new ArchiveChecksum();
  const counts = new Map<ArchiveSection, number>();
  let section: ArchiveSection | null = null;
  const lines = new LineBlock();
  let inBlock = 0;
  const block = (): Buffer => {
    const bytes = lines.take();
    checksum.add(bytes);
    // Written with the next block, and checked by it.
    lines.add(checksum.line());
    inBlock = 0;
    return bytes;
  };
  for await (const part of parts) {
    for (const record of part) {
      if (record.section !== section) {
        if (section !== null) yield block();
        section = record.section;
        lines.add(`${JSON.stringify({ section })}\n`);
      }
      lines.add(recordLine(record));
      inBlock += 1;
      if (inBlock === mostRecords || lines.characters > mostCharacters) yield block();
    }
    if (section !== null) counts.set(section, (counts.get(section) ?? 0) + part.length);
  }
  if (inBlock > 0) yield block();
  lines.add(`${JSON.stringify({ end: Object.fromEntries(counts) })}\n`);
  yield block();
  yield lines.take();
}
