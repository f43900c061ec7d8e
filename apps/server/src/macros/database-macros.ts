import {
  InspectedLibrary,
  type MacroLibrary,
  type MacroLimits,
  type MacroReports,
  type MacroRuntime,
  ModuleInspector,
} from "@sallyport/core";
import type { DatabaseConfiguration } from "../configuration/index.ts";
import type { MacroFolders } from "./macro-folders.ts";

export interface DatabaseMacrosParts {
  readonly folders: MacroFolders;
  readonly runtime: MacroRuntime;
  readonly limits: MacroLimits;
  readonly reports: MacroReports;
}

/** The library of one database. */
export function databaseMacros(
  { alias, macros: { directory } }: DatabaseConfiguration,
  { folders, runtime, limits, reports }: DatabaseMacrosParts,
): MacroLibrary {
  return new InspectedLibrary({
    alias,
    source: folders.of(directory),
    inspector: new ModuleInspector(runtime, limits),
    reports,
  });
}
