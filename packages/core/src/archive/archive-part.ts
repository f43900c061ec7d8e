import type { ArchiveRecord } from "./archive-record.ts";

/**
 * Records of one section, as an export gives them: at least one, at most `largestPart.records`, and no further one behind
 * `largestPart.characters` of attributes. One by one, a million of them would wait longer for each other than it takes to write them.
 */
export type ArchivePart = readonly ArchiveRecord[];

export const largestPart = { records: 2_000, characters: 1_048_576 };

/** Cuts records into parts. */
export async function* inParts(
  records: Iterable<ArchiveRecord> | AsyncIterable<ArchiveRecord>,
): AsyncGenerator<ArchivePart> {
  let part: ArchiveRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    const isWhole = part.length >= largestPart.records || characters >= largestPart.characters;
    if (part.length > 0 && (isWhole || part[0]?.section !== record.section)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(record);
    if ("attributes" in record) characters += record.attributes?.length ?? 0;
  }
  if (part.length > 0) yield part;
}
