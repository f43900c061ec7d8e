/** The macros of a database as of one generation. */
export interface StoredMacros {
  readonly generation: number;
  /** By name, ordered by code points. */
  readonly macros: readonly StoredMacro[];
}

/** What is stored under a name: at most 128 characters; of `changedBy`, at most 255. */
export type GivenMacro = Pick<StoredMacro, "name" | "text" | "language" | "changedBy">;

export interface MacroRemoval {
  readonly changedBy: string;
  /** As for `put`. */
  readonly expectedVersion: number | null;
}

/** Port: the macros of one database, with everything that they ever were. Changes happen one after the other. */
export interface MacroRepository {
  /** As of one moment. Each change raises the generation by one, from 0 in a new database; `Admission.macroGeneration` is the same. */
  load(): Promise<StoredMacros>;

  /**
   * Stores a macro as the next version of its name, if the current one is `expectedVersion`: 0 if there must not be such a
   * macro, `null` for whatever there is. Else `stale`, and nothing changes. A text that is not storable: 307.
   */
  put(macro: GivenMacro, expectedVersion: number | null): Promise<"stored" | "stale">;

  /** Takes a macro away, which is a version, too. `unknown` if there is none of that name. A `changedBy` that is not storable: 307. */
  remove(name: string, removal: MacroRemoval): Promise<"removed" | "stale" | "unknown">;

  /** What a macro was and is, the latest version first, at most `limit`, below a version if one is given. Also of macros that are gone. */
  history(name: string, limit: number, below?: number | null): Promise<MacroVersion[]>;
}

/** What a macro was from one change to the next, or is. Of a removal, text and language are `null`. */
export interface MacroVersion extends Omit<StoredMacro, "text" | "language"> {
  readonly text: string | null;
  readonly language: MacroLanguage | null;
}

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
