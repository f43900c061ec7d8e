import type { ClassDefinition } from "@sallyport/core";
import type { Numbered } from "../../../pending-migrations.ts";
import type { Query } from "../connection.ts";
import type { Tables } from "../tables.ts";

/**
 * One step from an empty database to the current one. Never changed once it was released, so it imports nothing that can change but types;
 * there is no way back.
 */
export interface Migration extends Numbered {
  /** Number and purpose; the order of the list is the order of the numbers. */
  readonly name: string;
  /** The statements, run in one transaction. A new database gets the classes. */
  readonly statements: (tables: Tables, classes: readonly ClassDefinition[]) => readonly (string | Query)[];
}

/** What a person looks for as one function. It replaces what is there under its name. */
export type Functions = Migration & Required<Numbered>;
