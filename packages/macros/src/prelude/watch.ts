import type { PackedObject } from "./packed-page.ts";
import { freeze, hasOwn, is, keys, record, stringify } from "./primordials.ts";

/**
 * The changes of several objects in triples: object index, member name, value. A removed member has the index `-1 -
 * index`. The list is flat because the engine serializes many small objects slowly.
 */
export type Changes = unknown[];

type Members = Record<string, unknown>;
type Name = string | symbol;

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has, isExtensible, ownKeys, preventExtensions, set } =
  Reflect;
const isMutable = (value: unknown): boolean => typeof value === "object" && value !== null;

/**
 * A proxy for an object that a hook receives. The target of a packed object stays empty while the hook only reads
 * immutable values; any other access builds it first.
 */
abstract class LazyObject implements ProxyHandler<Members> {
  /** The proxy. */
  readonly object: Members;

  /** `packed` is `null` once the target is built. `indexes` lists the members of the target. */
  constructor(
    protected readonly target: Members,
    protected packed: PackedObject | null,
    private readonly indexes: Readonly<Record<string, number>>,
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

  protected read(name: Name): unknown {
    const index = this.indexOf(name);
    if (this.packed !== null && index !== undefined) {
      const value = this.packed.value(index);
      if (!isMutable(value)) return value;
      this.build();
    }
    return this.target[name as string];
  }

  /** The index of a member in the packed object. */
  protected indexOf(name: Name): number | undefined {
    return typeof name === "string" ? this.indexes[name] : undefined;
  }

  /** Called before a member can change. */
  protected touch(_name: Name): void {
    this.build();
  }

  /** Builds the target. Returns false if it was already built. */
  protected build(): boolean {
    const { packed, target, indexes } = this;
    if (packed === null) return false;
    this.packed = null;
    for (const name in indexes) target[name] = packed.value(indexes[name] as number);
    return true;
  }
}

/** A read-only view of all attributes of a packed object. */
export class View extends LazyObject {
  constructor(packed: PackedObject) {
    super({}, packed, packed.names.all);
  }

  get(_target: Members, name: Name): unknown {
    return this.read(name);
  }

  set(target: Members, name: Name, value: unknown): boolean {
    this.build();
    if (!set(target, name, value)) throw new TypeError(`${typeof name === "string" ? name : "a symbol"} is read-only`);
    return true;
  }

  protected override build(): boolean {
    const isNew = super.build();
    if (isNew) freeze(this.target);
    return isNew;
  }
}

/** A member before a change: its value, and its JSON if the value is mutable. */
interface Before {
  readonly value: unknown;
  readonly text: string | undefined;
}

/** Records the changes of a hook. It compares only members that were written or are mutable. */
export class Watch extends LazyObject {
  /** Members before their first access, `null` for an absent one. */
  private readonly before = record<Before | null>();
  /** The written members: a separate object at first, the target once it is built. */
  private written: Members;

  /** `packed` supplies the values of an empty target. */
  constructor(target: Members, packed: PackedObject | null = null) {
    super(target, packed, packed === null ? record() : packed.names.written);
    this.written = packed === null ? target : {};
  }

  /** Appends the changes of this object. */
  report(changes: Changes, index: number): void {
    const { before, written } = this;
    const names = keys(before);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] as string;
      const former = before[name] as Before | null;
      const value = hasOwn(written, name) ? written[name] : undefined;
      const text = textOf(value);
      const isLeftOut = isOmitted(value, text);
      if (former === null ? isLeftOut : is(former.value, value) && former.text === text) continue;
      const end = changes.length;
      changes[end] = isLeftOut ? -1 - index : index;
      changes[end + 1] = name;
      changes[end + 2] = value;
    }
  }

  get(_target: Members, name: Name): unknown {
    const value = name in this.before ? this.written[name as string] : this.read(name);
    if (isMutable(value)) this.note(name);
    return value;
  }

  set(target: Members, name: Name, value: unknown, receiver: unknown): boolean {
    // An inherited member may be a setter, which must be called.
    if (receiver !== this.object || typeof name !== "string" || name in target) this.build();
    if (receiver !== this.object) return set(target, name, value, receiver);
    this.note(name);
    return set(this.written, name, value);
  }

  override deleteProperty(_target: Members, name: Name): boolean {
    this.note(name);
    return deleteProperty(this.written, name);
  }

  protected override touch(name: Name): void {
    this.build();
    this.note(name);
  }

  protected override build(): boolean {
    const isNew = super.build();
    if (isNew) {
      const { before, target, written } = this;
      for (const name in before) {
        if (hasOwn(written, name)) target[name] = written[name];
        else deleteProperty(target, name);
      }
      this.written = target;
    }
    return isNew;
  }

  private note(name: Name): void {
    const { before, packed, target } = this;
    if (typeof name !== "string" || name in before) return;
    const index = packed === null ? undefined : this.indexOf(name);
    if (packed === null ? !hasOwn(target, name) : index === undefined) before[name] = null;
    else {
      const value = index === undefined ? target[name] : packed?.value(index);
      before[name] = { value, text: textOf(value) };
    }
  }
}

/** The JSON of a mutable value. */
function textOf(value: unknown): string | undefined {
  return isMutable(value) ? stringify(value) : undefined;
}

/** Whether JSON omits a value. */
function isOmitted(value: unknown, text: string | undefined): boolean {
  const kind = typeof value;
  return kind === "undefined" || kind === "function" || kind === "symbol" || (isMutable(value) && text === undefined);
}
