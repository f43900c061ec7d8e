export { DiskFileStore } from "./disk-file-store.ts";
