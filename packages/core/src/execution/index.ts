export { ExecuteMacro, ListExecutableMacros, type MacroResult } from "./execute-macro.ts";
export type { ListForm, RequestForms } from "./host-arguments.ts";
export { HostCalls, type HostUseCases } from "./host-calls.ts";
export { type Caller, type CallerGroup, CallerNames } from "./macro-access.ts";
export { changesFrom, chosenFrom, MacroHooks } from "./macro-hooks.ts";
export { type MacroInput, MacroRunner, type MacroRunnerParts } from "./macro-runner.ts";
export { type MacroPutOutcome, mostMacroBytes, PutMacro, removeMacro } from "./put-macro.ts";
