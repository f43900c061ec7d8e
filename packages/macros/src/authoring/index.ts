/** The module `@sallyport/macros` that macros and hooks import, also inside the sandbox. */
export * from "./hook-definition.ts";
export * from "./macro-definition.ts";
// Listed by name: `cacheVersion` is internal.
export {
  type FindOptions,
  type Json,
  type ObjectJson,
  type ObjectList,
  type ObjectLock,
  type ObjectReaders,
  type ObjectReference,
  type Objects,
  type ReadOptions,
  versionOf,
} from "./objects.ts";
export * from "./refusal.ts";
