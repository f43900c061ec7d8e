export { acceptDeclaration, type InspectedText, ModuleInspector } from "./module-inspector.ts";
export { type Caller, type CallerGroup, CallerNames } from "./macro-access.ts";
export { ExecuteMacro, ListExecutableMacros, type MacroResult } from "./execute-macro.ts";
export { HostCalls, type HostUseCases } from "./host-calls.ts";
export type { ListForm, RequestForms } from "./host-arguments.ts";
export {
  InspectedLibrary,
  type InspectedLibraryParts,
  InspectedMacroSource,
  type InspectedSource,
} from "./inspected-library.ts";
export {
  type BrokenModule,
  type HookModule,
  isMacroName,
  type LibraryModule,
  type Macro,
  type MacroAccess,
} from "./macro.ts";
export { deepestExecution, type MacroExecution } from "./macro-execution.ts";
export {
  isRefusalCode,
  macroFailure,
  MacroFault,
  type MacroFaultKind,
  type MacroFaultOptions,
  MacroRefusal,
} from "./macro-fault.ts";
export {
  emptyLibrary,
  type LibraryContext,
  type MacroLibrary,
  MacroSet,
  type MacroSource,
  type MacroText,
  noMacros,
} from "./macro-library.ts";
export {
  type GivenMacro,
  type MacroLanguage,
  type MacroRemoval,
  MacroStore,
  type MacroVersion,
  type StoredMacro,
  type StoredMacros,
} from "./macro-store.ts";
export type {
  ExecutedMacro,
  IgnoredFailure,
  LoadedModules,
  MacroLine,
  MacroReports,
  RanHook,
} from "./macro-reports.ts";
export { type MacroInput, MacroRunner, type MacroRunnerParts } from "./macro-runner.ts";
export type {
  HostCall,
  MacroDeclaration,
  MacroEntry,
  MacroHost,
  MacroLimits,
  MacroModule,
  MacroOutcome,
  MacroPlace,
  MacroRuntime,
  MacroUsage,
  ModuleText,
} from "./macro-runtime.ts";
export { mostMacroBytes, PutMacro, type MacroPutOutcome, RemoveMacro } from "./put-macro.ts";
