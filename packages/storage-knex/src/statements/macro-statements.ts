import type { MacroLanguage } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface MacroStatements {
  /** The generation, and with it each macro that is there as of the same moment; one row with null where there are none. */
  readonly load: Statement;
  /** Until the transaction ends, nobody else changes a macro. */
  readonly hold: Statement;
  /** 1 name. The `version` of the latest change, and whether there is a macro since then: `known`. */
  readonly latest: Statement;
  /** 1 name, 2 version, 3 text or null, 4 language or null, 5 who changed it, 6 offset of the clock. */
  readonly add: Statement;
  /** Raises the generation. */
  readonly raise: Statement;
  /** 1 name, 2 limit, 3 version to end below or null. */
  readonly history: Statement;
}

export interface MacroRow {
  readonly name: string;
  readonly version: number;
  readonly text: string | null;
  readonly language: MacroLanguage | null;
  readonly changed_at: string;
  readonly changed_by: string;
}
