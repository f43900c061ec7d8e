/** A rule that must hold in a database. */
export type Invariant =
  | "objects"
  | "links"
  | "tombstones"
  | "formerReaders"
  | "stamps"
  | "accounts"
  | "names"
  | "identities"
  | "records"
  | "rules"
  | "macros"
  | "keys"
  | "synchronization"
  | "results"
  | "audit"
  | "counts"
  | "sessions"
  | "seats"
  | "values"
  | "bytes"
  | "uploads"
  | "files";

export interface Violation {
  readonly invariant: Invariant;
  /** A sentence for operators, with ids and names but no content of objects. */
  readonly finding: string;
}
