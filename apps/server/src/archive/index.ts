export { ArchiveFault } from "./archive-fault.ts";
export { FileExistsError, readArchiveFile, saveArchive, standardStream } from "./archive-file.ts";
export type { ArchiveHeader } from "./archive-header.ts";
export { ArchiveProgress, grouped } from "./archive-progress.ts";
export { type LeftOut, withoutSecrets } from "./left-out.ts";
export { openArchive } from "./read-archive.ts";
export { writeArchive } from "./write-archive.ts";
