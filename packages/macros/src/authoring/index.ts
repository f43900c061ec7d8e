/** What modules of macros and hooks import as `@sallyport/macros`, inside of the sandbox too. */
export {
  type AuthenticatedUser,
  type AuthenticationHook,
  defineHook,
  type DeleteHook,
  type FindHook,
  type HookContext,
  type HookDefinition,
  type ObjectSet,
  type SavedObject,
  type SaveHook,
  type SerializationHook,
  type UserProviderHook,
} from "./hook-definition.ts";
export {
  type Access,
  type Caller,
  defineMacro,
  type MacroContext,
  type MacroDefinition,
  type Services,
} from "./macro-definition.ts";
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
export { Refusal, refuse } from "./refusal.ts";
