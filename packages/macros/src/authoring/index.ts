/** What modules of macros and hooks import as `@sallyport/macros`, inside of the sandbox too. */
export type { Caller } from "./caller.ts";
export { defineHook } from "./define-hook.ts";
export { defineMacro } from "./define-macro.ts";
export type {
  AuthenticatedUser,
  AuthenticationHook,
  DeleteHook,
  FindHook,
  HookContext,
  HookDefinition,
  ObjectSet,
  SavedObject,
  SaveHook,
  SerializationHook,
  UserProviderHook,
} from "./hook-definition.ts";
export type { Json } from "./json.ts";
export type { Access, MacroContext, MacroDefinition } from "./macro-definition.ts";
export type {
  FindOptions,
  ObjectJson,
  ObjectList,
  ObjectLock,
  ObjectReaders,
  ObjectReference,
  Objects,
  ReadOptions,
} from "./objects.ts";
export { Refusal } from "./refusal.ts";
export { refuse } from "./refuse.ts";
export type { Services } from "./services.ts";
export { versionOf } from "./version-of.ts";
