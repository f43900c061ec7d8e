import { hasOwn, is, stringify } from "../primordials.ts";

/** What became of the members of several objects, in flat lists: the engine writes JSON of many small objects slowly. */
export interface PackedChanges {
  /** By threes: which object, the name of a member, its value. */
  readonly set: readonly unknown[];
  /** By twos: which object, the name of a member. */
  readonly removed: readonly (number | string)[];
}

/** The changes of one object after the other. */
export class ChangeList {
  private index: number;
  private readonly members: unknown[];
  private readonly names: (number | string)[];

  constructor() {
    this.index = 0;
    this.members = [];
    this.names = [];
  }

  /** What comes now is of the next object. */
  next(): void {
    this.index += 1;
  }

  set(name: string, value: unknown): void {
    const { members } = this;
    const end = members.length;
    members[end] = this.index;
    members[end + 1] = name;
    members[end + 2] = value;
  }

  remove(name: string): void {
    const { names } = this;
    names[names.length] = this.index;
    names[names.length] = name;
  }

  packed(): PackedChanges {
    return { set: this.members, removed: this.names };
  }
}

export type Members = Record<string, unknown>;

/** A member before: its value, and the text of one that can change inside. */
interface Before {
  readonly value: unknown;
  readonly text: string | undefined;
}

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, set } = Reflect;
const { create } = Object;
const record = <Value>(): Record<string, Value> => create(null) as Record<string, Value>;

export const isOpen = (value: unknown): boolean => typeof value === "object" && value !== null;

/**
 * Watches what is done to an object. Only what is written, or could be changed inside, is looked at: most hooks touch few
 * members of many objects.
 */
export class Watch implements ProxyHandler<Members> {
  /** The object to be handed out. */
  readonly object: Members;
  protected readonly target: Members;
  /** Members as they were when they were first touched; `null` where there was none. */
  private before: Record<string, Before | null> | null;

  constructor(target: Members) {
    this.target = target;
    this.object = new Proxy(target, this);
    this.before = null;
  }

  /** Says what has become of the object. */
  tell(changes: ChangeList): void {
    const { before, target } = this;
    if (before === null) return;
    for (const name in before) {
      const former = before[name] as Before | null;
      const value = hasOwn(target, name) ? target[name] : undefined;
      const text = isOpen(value) ? stringify(value) : undefined;
      if (isNothing(value, text)) {
        if (former !== null) changes.remove(name);
      } else if (former === null || !is(former.value, value) || former.text !== text) changes.set(name, value);
    }
  }

  get(target: Members, name: string | symbol): unknown {
    const value = target[name as string];
    if (isOpen(value)) this.note(name);
    return value;
  }

  set(target: Members, name: string | symbol, value: unknown, receiver: unknown): boolean {
    if (receiver !== this.object) return set(target, name, value, receiver);
    this.note(name);
    return set(target, name, value);
  }

  getOwnPropertyDescriptor(target: Members, name: string | symbol): PropertyDescriptor | undefined {
    this.note(name);
    return getOwnPropertyDescriptor(target, name);
  }

  defineProperty(target: Members, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    this.note(name);
    return defineProperty(target, name, descriptor);
  }

  deleteProperty(target: Members, name: string | symbol): boolean {
    this.note(name);
    return deleteProperty(target, name);
  }

  protected note(name: string | symbol): void {
    const { target } = this;
    const before = (this.before ??= record<Before | null>());
    if (typeof name !== "string" || name in before) return;
    if (!hasOwn(target, name)) before[name] = null;
    else before[name] = { value: target[name], text: isOpen(target[name]) ? stringify(target[name]) : undefined };
  }
}

/** Whether a value, open ones given with their text, is left out when it is written as JSON. */
export function isNothing(value: unknown, text: string | undefined): boolean {
  const kind = typeof value;
  return kind === "undefined" || kind === "function" || kind === "symbol" || (isOpen(value) && text === undefined);
}
