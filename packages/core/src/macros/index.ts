export { MacroFault, type MacroFaultKind, type MacroFaultOptions } from "./macro-fault.ts";
export { isMacroName } from "./macro-name.ts";
export { MacroRefusal } from "./macro-refusal.ts";
export type { GivenMacro, MacroRemoval, MacroRepository, StoredMacros } from "./macro-repository.ts";
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
} from "./macro-runtime.ts";
export type { MacroVersion } from "./macro-version.ts";
export type { MacroLanguage, StoredMacro } from "./stored-macro.ts";
export { type MacroJudge, mostMacroBytes, PutMacro, type PutOutcome } from "./put-macro.ts";
export { RemoveMacro } from "./remove-macro.ts";
