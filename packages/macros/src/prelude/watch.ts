import type { PackedObject } from "./packed-page.ts";
import { freeze, hasOwn, is, stringify } from "./primordials.ts";

/** The changes of several objects, in flat lists: the engine writes JSON of many small objects slowly. */
export interface PackedChanges {
  /** By threes: index of the object, name of the member, value. */
  readonly set: readonly unknown[];
  /** By twos: index of the object, name of the member. */
  readonly removed: readonly (number | string)[];
}

/** Collects the changes of one object after the other. */
export class ChangeList {
  private index = 0;
  private readonly members: unknown[] = [];
  private readonly names: (number | string)[] = [];

  /** Moves on to the next object. */
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

type Members = Record<string, unknown>;
type Name = string | symbol;

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has, isExtensible, ownKeys, preventExtensions, set } =
  Reflect;
const { create } = Object;
const record = <Value>(): Record<string, Value> => create(null) as Record<string, Value>;
const isMutable = (value: unknown): boolean => typeof value === "object" && value !== null;

/**
 * Hands an object to a hook as a proxy. The target of a packed object stays empty while the hook only reads single
 * values that cannot change inside; anything else builds it first.
 */
abstract class LazyObject implements ProxyHandler<Members> {
  /** The object to hand out. */
  readonly object: Members;

  /** `packed` is `null` once the target is built. */
  constructor(
    protected readonly target: Members,
    protected packed: PackedObject | null,
  ) {
    this.object = new Proxy(target, this);
  }

  has(target: Members, name: Name): boolean {
    this.build();
    return has(target, name);
  }

  ownKeys(target: Members): Name[] {
    this.build();
    return ownKeys(target);
  }

  isExtensible(target: Members): boolean {
    this.build();
    return isExtensible(target);
  }

  preventExtensions(target: Members): boolean {
    this.build();
    return preventExtensions(target);
  }

  getOwnPropertyDescriptor(target: Members, name: Name): PropertyDescriptor | undefined {
    this.touch(name);
    return getOwnPropertyDescriptor(target, name);
  }

  defineProperty(target: Members, name: Name, descriptor: PropertyDescriptor): boolean {
    this.touch(name);
    return defineProperty(target, name, descriptor);
  }

  deleteProperty(target: Members, name: Name): boolean {
    this.touch(name);
    return deleteProperty(target, name);
  }

  protected read(name: Name, index: number | undefined): unknown {
    const { packed } = this;
    if (packed !== null && index !== undefined) {
      const value = packed.value(index);
      if (!isMutable(value)) return value;
      this.build();
    }
    return this.target[name as string];
  }

  /** Called before a member may change. */
  protected touch(_name: Name): void {
    this.build();
  }

  protected build(): void {
    const { packed } = this;
    if (packed === null) return;
    this.packed = null;
    this.fill(packed);
  }

  protected abstract fill(packed: PackedObject): void;
}

/** Shows all attributes of a packed object, read-only. */
export class View extends LazyObject {
  constructor(packed: PackedObject) {
    super({}, packed);
  }

  get(_target: Members, name: Name): unknown {
    return this.read(name, typeof name === "string" ? this.packed?.names.indexes[name] : undefined);
  }

  set(target: Members, name: Name, value: unknown): boolean {
    this.build();
    if (!set(target, name, value)) throw new TypeError(`${typeof name === "string" ? name : "a symbol"} is read-only`);
    return true;
  }

  protected fill(packed: PackedObject): void {
    const { target } = this;
    const { rest, written } = packed.names;
    for (let index = 0; index < rest.length; index += 1)
      target[rest[index] as string] = packed.value(written.length + index);
    for (let index = 0; index < written.length; index += 1) target[written[index] as string] = packed.value(index);
    freeze(target);
  }
}

/** A member before a change: its value, and the JSON of one that can change inside. */
interface Before {
  readonly value: unknown;
  readonly text: string | undefined;
}

/** Marks a deleted member in `Watch.given`. */
const DELETED = Symbol("deleted");

/** Entries of `Watch.given` at most: it is searched from its beginning. */
const MAX_GIVEN = 32;

/** Records what a hook changes. It looks only at members that were written, or could have changed inside. */
export class Watch extends LazyObject {
  /** Members as they were when they were first touched; `null` where there was none. */
  private before: Record<string, Before | null> | null = null;
  /** Writes to a packed object that is not built yet. By twos: name, value. */
  private given: unknown[] | null = null;

  /** The values of `packed` take the place of an empty target. */
  constructor(target: Members, packed: PackedObject | null = null) {
    super(target, packed);
  }

  /** Adds the changes to a list. */
  tell(changes: ChangeList): void {
    const { before, given, packed, target } = this;
    if (packed !== null) {
      if (given === null) return;
      for (let at = 0; at < given.length; at += 2) {
        const name = given[at] as string;
        const value = given[at + 1];
        const index = this.indexOf(name);
        if (typeof value !== "string" && isOmitted(value, isMutable(value) ? stringify(value) : undefined)) {
          if (index !== undefined) changes.remove(name);
        } else if (index === undefined || !is(packed.value(index), value)) changes.set(name, value);
      }
      return;
    }
    if (before === null) return;
    for (const name in before) {
      const former = before[name] as Before | null;
      const value = hasOwn(target, name) ? target[name] : undefined;
      const text = isMutable(value) ? stringify(value) : undefined;
      if (isOmitted(value, text)) {
        if (former !== null) changes.remove(name);
      } else if (former === null || !is(former.value, value) || former.text !== text) changes.set(name, value);
    }
  }

  get(target: Members, name: Name): unknown {
    const { given } = this;
    const at = this.packed === null || given === null ? -1 : find(given, name);
    if (at !== -1) {
      const value = (given as unknown[])[at + 1];
      return value === DELETED ? target[name as string] : value;
    }
    const value = this.read(name, this.indexOf(name));
    if (isMutable(value)) this.note(name);
    return value;
  }

  set(target: Members, name: Name, value: unknown, receiver: unknown): boolean {
    // A setter that the target inherits must be called.
    if (this.packed !== null && receiver === this.object && !(name in target) && this.keep(name, value)) return true;
    this.build();
    if (receiver !== this.object) return set(target, name, value, receiver);
    this.note(name);
    return set(target, name, value);
  }

  override deleteProperty(target: Members, name: Name): boolean {
    if (this.packed !== null && this.keep(name, DELETED)) return true;
    return super.deleteProperty(target, name);
  }

  protected override touch(name: Name): void {
    this.build();
    this.note(name);
  }

  protected fill(packed: PackedObject): void {
    const { given, target } = this;
    const { written } = packed.names;
    for (let index = 0; index < written.length; index += 1) target[written[index] as string] = packed.value(index);
    if (given === null) return;
    for (let at = 0; at < given.length; at += 2) {
      const name = given[at] as string;
      const value = given[at + 1];
      this.note(name);
      if (value === DELETED) deleteProperty(target, name);
      else target[name] = value;
    }
  }

  /** The value of a written member in the page. */
  private indexOf(name: Name): number | undefined {
    const { packed } = this;
    if (packed === null || typeof name !== "string") return undefined;
    const index = packed.names.indexes[name];
    return index === undefined || index >= packed.names.written.length ? undefined : index;
  }

  /** Records a write without building the target; false if it cannot. */
  private keep(name: Name, value: unknown): boolean {
    if (typeof name !== "string") return false;
    const { given } = this;
    if (given === null) {
      this.given = [name, value];
      return true;
    }
    const at = find(given, name);
    if (at === -1 && given.length >= MAX_GIVEN) return false;
    const end = at === -1 ? given.length : at;
    given[end] = name;
    given[end + 1] = value;
    return true;
  }

  private note(name: Name): void {
    const { target } = this;
    const before = (this.before ??= record<Before | null>());
    if (typeof name !== "string" || name in before) return;
    if (!hasOwn(target, name)) before[name] = null;
    else before[name] = { value: target[name], text: isMutable(target[name]) ? stringify(target[name]) : undefined };
  }
}

function find(given: readonly unknown[], name: Name): number {
  for (let at = 0; at < given.length; at += 2) if (given[at] === name) return at;
  return -1;
}

/** Whether JSON leaves a value out; `text` is the JSON of an object. */
function isOmitted(value: unknown, text: string | undefined): boolean {
  const kind = typeof value;
  return kind === "undefined" || kind === "function" || kind === "symbol" || (isMutable(value) && text === undefined);
}
