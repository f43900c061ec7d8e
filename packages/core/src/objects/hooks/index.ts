export * from "./active-hooks.ts";
export { deeper, type HookCaller, hookFailure, type MemberChanges, type Members } from "./hook-caller.ts";
export * from "./raw-members.ts";
