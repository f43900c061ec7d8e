import type { JsonValue } from "@sallyport/core";

interface Changes {
  readonly set: [string, JsonValue][];
  readonly removed: string[];
}

/** Puts together what became of so many objects: for each the members that were set and removed, `null` where nothing was. Throws on what cannot come of so many. */
export function unpackChanges(packed: JsonValue, count: number): JsonValue {
  const { set, removed } = packed as { readonly set?: JsonValue; readonly removed?: JsonValue };
  const found = new Map<number, Changes>();
  const changesOf = (index: JsonValue | undefined): Changes => {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) throw new TypeError("changes of what was not given");
    const changes = found.get(index) ?? { set: [], removed: [] };
    found.set(index, changes);
    return changes;
  };
  const members = listOf(set, 3);
  for (let at = 0; at < members.length; at += 3) changesOf(members[at]).set.push([textOf(members[at + 1]), members[at + 2] as JsonValue]);
  const names = listOf(removed, 2);
  for (let at = 0; at < names.length; at += 2) changesOf(names[at]).removed.push(textOf(names[at + 1]));
  return Array.from({ length: count }, (_one, index) => {
    const changes = found.get(index);
    return changes === undefined ? null : { set: Object.fromEntries(changes.set), removed: changes.removed };
  });
}

function listOf(value: JsonValue | undefined, by: number): readonly JsonValue[] {
  if (!Array.isArray(value) || value.length % by !== 0) throw new TypeError("no list of changes");
  return value as readonly JsonValue[];
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("no name of a member");
  return value;
}
