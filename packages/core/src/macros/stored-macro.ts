/** The language that a text is written in. */
export type MacroLanguage = "js" | "ts";

/** A macro that is kept in the database, as it is now. */
export interface StoredMacro {
  readonly name: string;
  readonly text: string;
  readonly language: MacroLanguage;
  /** Counts the changes of the macro from 1, removals among them; it is never given again. */
  readonly version: number;
  /** By the storage's clock, milliseconds since 1970. */
  readonly changedAt: number;
  /** Who changed it, in the words of whoever did. */
  readonly changedBy: string;
}
