export { type ArchivePart, inParts, largestPart } from "./archive-part.ts";
export { type ArchiveRecord, type ArchiveSection, archiveSections, type RecordOf } from "./archive-record.ts";
export { canonicalJson } from "./canonical-json.ts";
export { contradictingRecords } from "./contradicting-records.ts";
export type { StorageArchive } from "./storage-archive.ts";
