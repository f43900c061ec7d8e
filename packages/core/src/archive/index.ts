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
export { canonicalJson } from "./canonical-json.ts";
