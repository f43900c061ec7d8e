import type { UnitOfWork } from "../request/unit-of-work.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { MacroSet } from "./macro-set.ts";
import { noMacros } from "./macro-set.ts";

/** What a library needs to know of the request that asks. */
export interface LibraryContext {
  readonly r: Pick<Repositories, "macros">;
  readonly unit: Pick<UnitOfWork, "joined">;
  readonly macroGeneration: number;
}

/** All macros and hooks of one database. */
export interface MacroLibrary {
  /** Those of now, as far as the request can know: what was changed before it came is heeded. */
  current(context: LibraryContext): MacroSet | Promise<MacroSet>;
}

/** The library of a database that has no macros. */
export const emptyLibrary: MacroLibrary = { current: () => noMacros };
