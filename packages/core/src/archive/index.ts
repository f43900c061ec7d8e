export { type EarlierRecord, earlierSections, fromEarlier } from "./earlier-records.ts";
export {
  type ArchivePart,
  type ArchiveRecord,
  type ArchiveSection,
  archiveSections,
  contradictingRecords,
  inParts,
  largestPart,
  type RecordOf,
  secretKinds,
  type StorageArchive,
} from "./storage-archive.ts";
export { canonicalJson } from "./canonical-json.ts";
