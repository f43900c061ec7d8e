export { AcceptProviderUser, type NewProviderUser } from "./accept-provider-user.ts";
export type {
  ActiveHooks,
  AskedLogIn,
  AskedSet,
  ChosenSet,
  DeletedItem,
  FindHook,
  Hook,
  ProviderUser,
  SavedItem,
  SerializedItem,
} from "./active-hooks.ts";
export { acceptHook, type HookDeclaration, type HookEvent, hookEvents } from "./accept-hook.ts";
export { hookFailure } from "./hook-failure.ts";
export type { HookCaller } from "./hook-caller.ts";
export { MacroHooks } from "./macro-hooks.ts";
export type { MemberChanges, Members } from "./member-changes.ts";
export { noHooks, type ObjectHooks } from "./object-hooks.ts";
