export type { ByteRange, FileStore, FoundFile, SegmentName } from "./file-store.ts";
