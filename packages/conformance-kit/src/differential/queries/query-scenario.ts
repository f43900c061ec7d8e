import type { Attributes, ObjectQuery } from "@sallyport/storage";

/** An object of a scenario; its references are names. */
export interface ScenarioObject {
  readonly className: "Item" | "Thing";
  readonly attributes: Attributes;
  readonly readers: readonly string[] | null;
}

/** A set of objects and a query on them, as JSON. */
export interface QueryScenario {
  readonly kind: "query";
  readonly objects: readonly ScenarioObject[];
  /** Whether all indexable values have an index. */
  readonly indexed: boolean;
  /** Its classes and paths are those of the objects; its ids are names. */
  readonly query: ObjectQuery;
  /** The caller's visibility; `null`: everything. */
  readonly visibility: { readonly classes: readonly string[] | null; readonly principals: readonly string[] | null };
  /** Objects per page. */
  readonly limit: number;
}

/** The answers to a query in all supported forms, as object names. */
export interface QueryAnswers {
  /** One page with all objects. */
  readonly whole: readonly string[];
  /** The pages, concatenated. */
  readonly pages: readonly string[];
  /** The objects after each position, concatenated. */
  readonly afterPositions: readonly string[];
  /** The full count, and the count limited to the page length. */
  readonly counts: readonly [number, number];
}
