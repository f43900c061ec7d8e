import { catalogue } from "./catalogue.ts";
import { type CatalogueEntry, extensions } from "./extensions.ts";

/** Every code that an answer can carry besides `0`. */
export type ErrorCode = (typeof catalogue)[number]["code"] | (typeof extensions)[number]["code"];

const entries: ReadonlyMap<number, CatalogueEntry> = new Map(
  [...catalogue, ...extensions].map((entry) => [entry.code, entry]),
);

/** The entry of a code. */
export function errorEntry(code: ErrorCode): CatalogueEntry {
  return entries.get(code) as CatalogueEntry;
}

/** Whether a number is a code of the catalogue or of its extensions. */
export function isErrorCode(code: number): code is ErrorCode {
  return entries.has(code);
}
