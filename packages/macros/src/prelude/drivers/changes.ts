import { freeze, is, keys, stringify } from "../primordials.ts";

type Members = Record<string, unknown>;

/** What became of the members of an object. */
export interface Changes {
  readonly set: Members;
  readonly removed: readonly string[];
}

/** A member before: its value, and the text of one that can change inside. */
interface Before {
  readonly value: unknown;
  readonly text: string | undefined;
}

const isOpen = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Takes down what an object holds; the function that it gives says what has changed since, `null` for nothing. */
export function watchChanges(object: Members): () => Changes | null {
  const before = new Map<string, Before>();
  for (const name of keys(object)) {
    const value = object[name];
    before.set(name, { value, text: isOpen(value) ? stringify(value) : undefined });
  }
  return () => {
    const set = Object.create(null) as Members;
    const removed: string[] = [];
    let changed = false;
    for (const name of keys(object)) {
      const value = object[name];
      const former = before.get(name);
      before.delete(name);
      if (former !== undefined && is(former.value, value) && (former.text === undefined || former.text === stringify(value))) continue;
      set[name] = value;
      changed = true;
    }
    before.forEach((_former, name) => {
      removed[removed.length] = name;
    });
    return changed || removed.length > 0 ? freeze({ set, removed }) : null;
  };
}
