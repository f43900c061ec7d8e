export { type Download, download, type DownloadOptions } from "./download.ts";
export { linkFile, type LinkOptions } from "./link.ts";
export type { FileObject } from "../objects.ts";
export type { FileSource } from "./sources.ts";
export { upload, type UploadOptions, type UploadProgress } from "./upload.ts";
