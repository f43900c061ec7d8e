export { acceptDeclaration } from "./accept-declaration.ts";
export { type Caller, type CallerGroup, CallerNames } from "./caller.ts";
export { ExecuteMacro, type MacroResult } from "./execute-macro.ts";
export { ListExecutableMacros } from "./list-executable-macros.ts";
export { HostCalls } from "./host/host-calls.ts";
export type { HostUseCases } from "./host/host-use-cases.ts";
export type { ListForm, RequestForms } from "./host/request-forms.ts";
export { InspectedLibrary, type InspectedLibraryParts, type InspectedSource } from "./inspected-library.ts";
export { InspectedMacroSource } from "./inspected-macro-source.ts";
export type { BrokenModule, HookModule, LibraryModule, Macro, MacroAccess } from "./macro.ts";
export { deepestExecution, type MacroExecution } from "./macro-execution.ts";
export { macroFailure } from "./macro-failure.ts";
export { emptyLibrary, type LibraryContext, type MacroLibrary } from "./macro-library.ts";
export { MacroFault, type MacroFaultKind, type MacroFaultOptions } from "./macro-fault.ts";
export { isMacroName } from "./macro-name.ts";
export type { GivenMacro, MacroRemoval, MacroRepository, StoredMacros } from "./macro-repository.ts";
export type { MacroVersion } from "./macro-version.ts";
export type { MacroLanguage, StoredMacro } from "./stored-macro.ts";
export { MacroRefusal } from "./macro-refusal.ts";
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
export { mostMacroBytes, PutMacro, type PutOutcome } from "./put-macro.ts";
export { isRefusalCode } from "./refusal-code.ts";
export { RemoveMacro } from "./remove-macro.ts";
export { MacroSet, noMacros } from "./macro-set.ts";
export type { MacroSource, MacroText } from "./macro-source.ts";
export { type InspectedText, ModuleInspector } from "./module-inspector.ts";
