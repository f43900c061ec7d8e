export { AcceptProviderUser, type NewProviderUser } from "./accept-provider-user.ts";
export {
  type ActiveHooks,
  type AskedLogIn,
  type AskedSet,
  type ChosenSet,
  type DeletedItem,
  type FindHook,
  type Hook,
  noHooks,
  type ObjectHooks,
  type ProviderUser,
  type SavedItem,
  type SerializedItem,
} from "./active-hooks.ts";
export { acceptHook, type HookDeclaration, type HookEvent, hookEvents } from "./accept-hook.ts";
export { type HookCaller, hookFailure, type MemberChanges, type Members } from "./hook-caller.ts";
export { MacroHooks } from "./macro-hooks.ts";
