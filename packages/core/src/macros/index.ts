export { MacroFault, type MacroFaultKind } from "./macro-fault.ts";
export { isMacroName } from "./macro-name.ts";
export { MacroRefusal } from "./macro-refusal.ts";
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
