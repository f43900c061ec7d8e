export { DiskFileStore, type DiskFileStoreOptions } from "./disk-file-store.ts";
