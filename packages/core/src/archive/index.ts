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
  type StorageArchive,
} from "./storage-archive.ts";
export { secretKinds } from "./secret-kinds.ts";
export { canonicalJson } from "./canonical-json.ts";
