export { ArchiveFault, type ArchiveHeader } from "./archive-format.ts";
export { FileExistsError, readArchiveFile, saveArchive, standardStream } from "./archive-file.ts";
export { ArchiveProgress, grouped, type LeftOut, withoutSecrets } from "./archive-progress.ts";
export { openArchive } from "./read-archive.ts";
export { writeArchive } from "./write-archive.ts";
