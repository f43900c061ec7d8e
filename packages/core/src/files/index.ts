export { BeginUpload, ReadUpload } from "./begin-upload.ts";
export { CancelUpload } from "./cancel-upload.ts";
export { CollectFiles, type CollectedFiles } from "./collect-files.ts";
export { FinishUpload, type FinishUploadInput } from "./finish-upload.ts";
export { OpenFile, type OpenedFile } from "./open-file.ts";
export * from "./resumable-hash.ts";
export { StoreChunk } from "./store-chunk.ts";
export { StoreFile } from "./store-file.ts";
export * from "./upload-state.ts";
