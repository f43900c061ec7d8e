export * from "./active-hooks.ts";
export { deeper, type HookCaller, hookFailure, type MemberChanges, type Members, rawMembers } from "./hook-caller.ts";
export { hooksOfDeletions } from "./deletion-hooks.ts";
export { hooksOfSaves } from "./save-hooks.ts";
