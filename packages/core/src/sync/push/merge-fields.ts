import { isSameJson, type JsonValue } from "@sallyport/storage";

/** The values of one field that a client sends, as they are stored. An unset field is `null`. */
export interface SentField {
  /** The value that the client last saw; `undefined` if it does not tell. */
  readonly base: JsonValue | undefined;
  readonly mine: JsonValue;
  readonly theirs: JsonValue;
}

/** Which value of a conflicting field is stored. */
export type Side = "mine" | "theirs";

export interface Merge {
  /** The fields to write. */
  readonly applied: readonly string[];
  /** The fields that the server had changed, too. */
  readonly merged: readonly string[];
  /** Those with a value that is neither the client's nor its `base`. */
  readonly conflicts: readonly string[];
}

/**
 * Merges the sent fields with the stored ones, without a history. A field is written if the server still has its `base`,
 * or if the client has seen the current version. A field that already has the new value needs nothing. Any other field is
 * a conflict: without `base`, each field of a client that is behind. Conflicting fields are written if `side` is `mine`.
 */
export function mergeFields(
  fields: ReadonlyMap<string, SentField>,
  { isBehind, side }: { readonly isBehind: boolean; readonly side: Side },
): Merge {
  const applied: string[] = [];
  const merged: string[] = [];
  const conflicts: string[] = [];
  for (const [name, { base, mine, theirs }] of fields) {
    const hasMoved = base === undefined ? isBehind : !isSameJson(base, theirs);
    const isDone = isSameJson(mine, theirs);
    const isConflict = hasMoved && !isDone;
    if (isConflict || (hasMoved && base !== undefined)) merged.push(name);
    if (isConflict) conflicts.push(name);
    if (!isDone && (!isConflict || side === "mine")) applied.push(name);
  }
  return { applied, merged, conflicts };
}
