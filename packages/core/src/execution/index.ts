export * from "./execute-macro.ts";
export type { ListForm, RequestForms } from "./host-arguments.ts";
export * from "./host-calls.ts";
export { type Caller, type CallerGroup, CallerNames } from "./macro-access.ts";
export * from "./macro-hooks.ts";
export * from "./macro-runner.ts";
export { type MacroPutOutcome, maxMacroBytes, putMacro, removeMacro } from "./put-macro.ts";
