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
export { deeper, type HookCaller, hookFailure, type MemberChanges, type Members } from "./hook-caller.ts";
export { rawMembers } from "./raw-members.ts";
