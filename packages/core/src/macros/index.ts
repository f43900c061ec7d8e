export { acceptHook, type HookDeclaration, type HookEvent, hookEvents } from "./accept-hook.ts";
export {
  InspectedLibrary,
  type InspectedLibraryParts,
  InspectedMacroSource,
  type InspectedSource,
} from "./inspected-library.ts";
export { deepestExecution, LineAllowance, type MacroExecution } from "./macro-execution.ts";
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
export type {
  ExecutedMacro,
  IgnoredFailure,
  LoadedModules,
  MacroLine,
  MacroReports,
  RanHook,
} from "./macro-reports.ts";
export type {
  HostCall,
  MacroDeclaration,
  MacroInvocation,
  MacroHost,
  MacroLimits,
  MacroModule,
  MacroOutcome,
  MacroLease,
  MacroRuntime,
  MacroUsage,
  ModuleText,
} from "./macro-runtime.ts";
export {
  currentMacroKind,
  type GivenMacro,
  type MacroLanguage,
  type MacroRemoval,
  MacroStore,
  type MacroVersion,
  macroVersionKind,
  macroVersionRecord,
  type StoredMacro,
  type StoredMacros,
} from "./macro-store.ts";
export {
  type BrokenModule,
  type CalledHook,
  type HookModule,
  isMacroName,
  type LibraryModule,
  type Macro,
  type MacroAccess,
} from "./macro.ts";
export { acceptDeclaration, type InspectedText, ModuleInspector } from "./module-inspector.ts";
