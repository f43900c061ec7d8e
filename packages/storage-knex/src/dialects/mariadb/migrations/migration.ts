import type { ClassDefinition } from "@sallyport/core";
import type { Numbered } from "../../../pending-migrations.ts";
import type { Tables } from "../tables.ts";

/**
 * One step from an empty database to the current one. Never changed once it was released, so it imports nothing that can change but types;
 * there is no way back.
 */
export interface Migration extends Numbered {
  /** Number and purpose; the order of the list is the order of the numbers. */
  readonly name: string;
  /**
   * The statements. The engine keeps each change of a table at once, so whoever breaks off leaves a part behind: each of them
   * does no harm when it runs again. A new database gets the classes.
   */
  readonly statements: (
    tables: Tables,
    classes: readonly ClassDefinition[],
  ) => readonly (string | { readonly sql: string; readonly values: readonly unknown[] })[];
}

/** What a person looks for as one procedure. It replaces what is there under its name. */
export type Functions = Migration & Required<Numbered>;
