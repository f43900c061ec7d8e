import type { JsonValue } from "@sallyport/core";

interface Changes {
  readonly set: Record<string, JsonValue>;
  readonly removed: string[];
}

/** Puts together what became of so many objects: for each the members that were set and removed, `null` where nothing was. Throws on what cannot come of so many. */
export function unpackChanges(packed: JsonValue, count: number): JsonValue {
  const { set, removed } = packed as { readonly set?: JsonValue; readonly removed?: JsonValue };
  const found = Array.from<unknown, Changes | null>({ length: count }, () => null);
  const changesOf = (index: JsonValue | undefined): Changes => {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      throw new TypeError("changes of what was not given");
    return (found[index] ??= { set: {}, removed: [] });
  };
  const members = listOf(set, 3);
  for (let at = 0; at < members.length; at += 3)
    put(changesOf(members[at]).set, textOf(members[at + 1]), members[at + 2] as JsonValue);
  const names = listOf(removed, 2);
  for (let at = 0; at < names.length; at += 2) changesOf(names[at]).removed.push(textOf(names[at + 1]));
  return found as unknown as JsonValue;
}

/** Sets a member of the object's own, whatever its name means to objects. */
function put(members: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === "__proto__")
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  else members[name] = value;
}

function listOf(value: JsonValue | undefined, by: number): readonly JsonValue[] {
  if (!Array.isArray(value) || value.length % by !== 0) throw new TypeError("no list of changes");
  return value as readonly JsonValue[];
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("no name of a member");
  return value;
}
