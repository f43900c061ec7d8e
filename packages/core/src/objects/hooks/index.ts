export * from "./active-hooks.ts";
export { deeper, hookFailure, rawMembers } from "./hook-caller.ts";
export { hooksOfDeletions } from "./deletion-hooks.ts";
export { hooksOfSaves } from "./save-hooks.ts";
