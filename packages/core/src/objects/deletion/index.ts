export { deleteObject, type DeleteObjectInput } from "./delete-object.ts";
export { type ListedRecycled, listRecycled, type ListRecycledInput } from "./list-recycled.ts";
export { purgeRecycled, purgeAllRecycled } from "./purge-recycled.ts";
export * from "./restore-object.ts";
