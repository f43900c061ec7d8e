import { hasOwn, is, stringify } from "../primordials.ts";

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

/** An object to be handed out, and what has become of it since; `null` for nothing. */
export interface Watched {
  readonly object: Members;
  changes(): Changes | null;
}

const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
const { create } = Object;
const record = <Value>(): Record<string, Value> => create(null) as Record<string, Value>;

const isOpen = (value: unknown): boolean => typeof value === "object" && value !== null;

/**
 * Watches what is done to an object. Only what is written, or could be changed inside, is looked at: most hooks touch few
 * members of many objects.
 */
export function watch(target: Members): Watched {
  /** Members as they were when they were first touched; `null` where there was none. */
  const before = record<Before | null>();
  const note = (name: string | symbol): void => {
    if (typeof name !== "string" || name in before) return;
    if (!hasOwn(target, name)) before[name] = null;
    else before[name] = { value: target[name], text: isOpen(target[name]) ? stringify(target[name]) : undefined };
  };
  const object = new Proxy(target, {
    get(_target, name) {
      const value = target[name as string];
      if (isOpen(value)) note(name);
      return value;
    },
    getOwnPropertyDescriptor(_target, name) {
      note(name);
      return getOwnPropertyDescriptor(target, name);
    },
    defineProperty(_target, name, descriptor) {
      note(name);
      return defineProperty(target, name, descriptor);
    },
    deleteProperty(_target, name) {
      note(name);
      return deleteProperty(target, name);
    },
  });
  return { object, changes: () => changesOf(target, before) };
}

/** What is left out when it is written as JSON. */
function isNothing(value: unknown): boolean {
  const kind = typeof value;
  return kind === "undefined" || kind === "function" || kind === "symbol";
}

function changesOf(target: Members, before: Readonly<Record<string, Before | null>>): Changes | null {
  const set = record<unknown>();
  const removed: string[] = [];
  let changed = false;
  for (const name in before) {
    const former = before[name] as Before | null;
    const value = hasOwn(target, name) ? target[name] : undefined;
    const text = isOpen(value) ? stringify(value) : undefined;
    if (isNothing(value) || (isOpen(value) && text === undefined)) {
      if (former !== null) removed[removed.length] = name;
      continue;
    }
    if (former !== null && is(former.value, value) && former.text === text) continue;
    set[name] = value;
    changed = true;
  }
  return changed || removed.length > 0 ? { set, removed } : null;
}
