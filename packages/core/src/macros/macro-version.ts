import type { MacroLanguage, StoredMacro } from "./stored-macro.ts";

/** What a macro was from one change to the next, or is. Of a removal, text and language are `null`. */
export interface MacroVersion extends Omit<StoredMacro, "text" | "language"> {
  readonly text: string | null;
  readonly language: MacroLanguage | null;
}
