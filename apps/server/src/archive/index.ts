export { ArchiveFault, type ArchiveHeader } from "./archive-format.ts";
export {
  FileExistsError,
  type OmittedContent,
  readArchiveFile,
  saveArchive,
  standardStream,
  withoutFiles,
  withoutSecrets,
} from "./archive-file.ts";
export { openArchive } from "./read-archive.ts";
export { writeArchive } from "./write-archive.ts";
