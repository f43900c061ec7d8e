export { ArchiveFault, type ArchiveHeader } from "./archive-format.ts";
export {
  ArchiveProgress,
  FileExistsError,
  grouped,
  type OmittedContent,
  readArchiveFile,
  saveArchive,
  standardStream,
  withoutSecrets,
} from "./archive-file.ts";
export { openArchive } from "./read-archive.ts";
export { writeArchive } from "./write-archive.ts";
