import type { MacroLanguage } from "@sallyport/core";

/** The languages of macros by the endings of their files, wherever files are read. */
export const macroLanguages: ReadonlyMap<string, MacroLanguage> = new Map([
  [".js", "js"],
  [".mjs", "js"],
  [".ts", "ts"],
  [".mts", "ts"],
]);
