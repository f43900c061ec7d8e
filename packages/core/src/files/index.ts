export { beginUpload, readUpload } from "./begin-upload.ts";
export { cancelUpload } from "./cancel-upload.ts";
export { type ArchivedFile, dumpFiles, restoreFiles } from "./archive-files.ts";
export {
  type CheckedFile,
  checkFiles,
  checkUploads,
  unknownFiles,
  type CheckOptions,
} from "./inventory/check-files.ts";
export { collectFiles, collectNow, type CollectedFiles } from "./inventory/collect-files.ts";
export { finishUpload, type FinishUploadInput } from "./finish-upload.ts";
export { createFileLink, type CreatedLink, FileLinks, type LinkServices, openFileLink } from "./file-links.ts";
export { type FileState, type ListedFile, listFiles } from "./inventory/list-files.ts";
export { openFile, type OpenedFile } from "./open-file.ts";
export * from "./file-hashes.ts";
export { storeChunk } from "./store-chunk.ts";
export { addFile, storeFile, type StoreFileInput } from "./store-file.ts";
export { detachedKind, filePages, type Segment, segmentKind, storedBytesKind } from "./stored-files.ts";
export { type Upload, type UploadDescription, uploadKind, type UploadServices } from "./uploads.ts";
export { UploadHashes, type UploadHashesOptions } from "./upload-hashes.ts";
export * from "./upload-state.ts";
