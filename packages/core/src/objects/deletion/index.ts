export type { UserGuard } from "./deletion-cascade.ts";
export { DeleteObject, type DeleteObjectInput } from "./delete-object.ts";
export { type ListedRecycled, ListRecycled, type ListRecycledInput } from "./list-recycled.ts";
export { PurgeRecycled } from "./purge-recycled.ts";
export * from "./restore-object.ts";
