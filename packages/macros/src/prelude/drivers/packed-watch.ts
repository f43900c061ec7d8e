import type { PackedObject } from "../packed-items.ts";
import { is, stringify } from "../primordials.ts";
import type { ChangeList } from "./change-list.ts";
import { isNothing, isOpen, type Members, record, Watch } from "./watch.ts";

const { deleteProperty, has, ownKeys, preventExtensions } = Reflect;

/** In the place of a member that was deleted. */
const GONE = Symbol("gone");

/**
 * Watches what is done to the written members of a packed object. It is built when more is done than to read members that cannot change
 * inside, to write, and to delete: until then there is nothing in the target.
 */
export class PackedWatch extends Watch {
  private packed: PackedObject | null;
  /** What was written before it is built. */
  private given: Record<string, unknown> | null;

  constructor(packed: PackedObject) {
    super({});
    this.packed = packed;
    this.given = null;
  }

  override tell(changes: ChangeList): void {
    const { given, packed } = this;
    if (packed === null) {
      super.tell(changes);
      return;
    }
    if (given === null) return;
    for (const name in given) {
      const value = given[name];
      const text = isOpen(value) ? stringify(value) : undefined;
      const place = written(packed, name);
      if (isNothing(value, text)) {
        if (place !== undefined) changes.remove(name);
      } else if (place === undefined || !is(packed.value(place), value)) changes.set(name, value);
    }
  }

  override get(target: Members, name: string | symbol): unknown {
    const { given, packed } = this;
    if (packed !== null && typeof name === "string") {
      if (given !== null && name in given) return given[name] === GONE ? target[name] : given[name];
      const place = written(packed, name);
      if (place === undefined) return target[name];
      const value = packed.value(place);
      if (!isOpen(value)) return value;
      this.build();
    }
    return super.get(target, name);
  }

  override set(target: Members, name: string | symbol, value: unknown, receiver: unknown): boolean {
    // What the target inherits may have a say in it.
    if (this.packed !== null && typeof name === "string" && receiver === this.object && !(name in target)) {
      (this.given ??= record<unknown>())[name] = value;
      return true;
    }
    this.build();
    return super.set(target, name, value, receiver);
  }

  has(target: Members, name: string | symbol): boolean {
    this.build();
    return has(target, name);
  }

  ownKeys(target: Members): (string | symbol)[] {
    this.build();
    return ownKeys(target);
  }

  preventExtensions(target: Members): boolean {
    this.build();
    return preventExtensions(target);
  }

  override getOwnPropertyDescriptor(target: Members, name: string | symbol): PropertyDescriptor | undefined {
    this.build();
    return super.getOwnPropertyDescriptor(target, name);
  }

  override defineProperty(target: Members, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    this.build();
    return super.defineProperty(target, name, descriptor);
  }

  override deleteProperty(target: Members, name: string | symbol): boolean {
    if (this.packed !== null && typeof name === "string") {
      (this.given ??= record<unknown>())[name] = GONE;
      return true;
    }
    return super.deleteProperty(target, name);
  }

  private build(): void {
    const { given, packed, target } = this;
    if (packed === null) return;
    this.packed = null;
    const names = packed.names.written;
    for (let index = 0; index < names.length; index += 1) target[names[index] as string] = packed.value(index);
    if (given === null) return;
    for (const name in given) {
      this.note(name);
      if (given[name] === GONE) deleteProperty(target, name);
      else target[name] = given[name];
    }
  }
}

/** Where a member stands that is written. */
function written(packed: PackedObject, name: string): number | undefined {
  const place = packed.place(name);
  return place === undefined || !packed.isWritten(place) ? undefined : place;
}
