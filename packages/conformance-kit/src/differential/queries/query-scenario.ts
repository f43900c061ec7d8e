import type { Attributes, ObjectQuery } from "@sallyport/core";

/** An object of a scenario; references in it are names. */
export interface ScenarioObject {
  readonly className: "Item" | "Thing";
  readonly attributes: Attributes;
  readonly readers: readonly string[] | null;
}

/** Objects, and a query that is asked of them. All of it is JSON. */
export interface QueryScenario {
  readonly kind: "query";
  readonly objects: readonly ScenarioObject[];
  /** Whether there are indexes over all values that can have one. */
  readonly indexed: boolean;
  /** Its classes and paths are those of the objects; ids in it are names. */
  readonly query: ObjectQuery;
  /** Who asks; `null` for everything. */
  readonly visibility: { readonly classes: readonly string[] | null; readonly principals: readonly string[] | null };
  /** Objects on a page. */
  readonly limit: number;
}

/** What is answered to a query in all ways in which it can be asked; objects by their names. */
export interface QueryAnswers {
  /** Of one page that holds all. */
  readonly whole: readonly string[];
  /** Of the pages, one after the other. */
  readonly pages: readonly string[];
  /** Of what follows each position, one after the other. */
  readonly afterPositions: readonly string[];
  /** Counted to the end, and no further than the length of a page. */
  readonly counts: readonly [number, number];
}
