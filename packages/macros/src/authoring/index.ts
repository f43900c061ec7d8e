/** What modules of macros and hooks import as `@sallyport/macros`, inside of the sandbox too. */
export * from "./hook-definition.ts";
export * from "./macro-definition.ts";
// By name: what remembers versions is not for modules.
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
