import type { PackedObject } from "../packed-items.ts";
import { is, stringify } from "../primordials.ts";
import { type ChangeList, isNothing, isOpen, type Members, Watch } from "./watch.ts";

const { deleteProperty, has, ownKeys, preventExtensions } = Reflect;

/** In the place of a member that was deleted. */
const GONE = Symbol("gone");

/** How many entries the list of what was written may have: it is searched from its beginning. */
const LONGEST = 32;

/**
 * Watches what is done to the written members of a packed object. It is built when more is done than to read members that cannot change
 * inside, to write some, and to delete: until then there is nothing in the target.
 */
export class PackedWatch extends Watch {
  private packed: PackedObject | null;
  /** What was written before it is built: by twos a name and the value. */
  private given: unknown[] | null;

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
    for (let index = 0; index < given.length; index += 2) {
      const name = given[index] as string;
      const value = given[index + 1];
      const place = writtenPlace(packed, name);
      if (typeof value !== "string" && isNothing(value, isOpen(value) ? stringify(value) : undefined)) {
        if (place !== undefined) changes.remove(name);
      } else if (place === undefined || !is(packed.value(place), value)) changes.set(name, value);
    }
  }

  override get(target: Members, name: string | symbol): unknown {
    const { packed } = this;
    if (packed !== null && typeof name === "string") {
      const { given } = this;
      const at = given === null ? -1 : indexOf(given, name);
      if (at !== -1) {
        const value = (given as unknown[])[at + 1];
        return value === GONE ? target[name] : value;
      }
      const place = writtenPlace(packed, name);
      if (place === undefined) return target[name];
      const value = packed.value(place);
      if (typeof value !== "object" || value === null) return value;
      this.build();
    }
    return super.get(target, name);
  }

  override set(target: Members, name: string | symbol, value: unknown, receiver: unknown): boolean {
    // What the target inherits may have a say in it.
    if (
      this.packed !== null &&
      typeof name === "string" &&
      receiver === this.object &&
      !(name in target) &&
      this.keep(name, value)
    )
      return true;
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
    if (this.packed !== null && typeof name === "string" && this.keep(name, GONE)) return true;
    this.build();
    return super.deleteProperty(target, name);
  }

  /** Keeps what was written; false if that would be too much. */
  private keep(name: string, value: unknown): boolean {
    const { given } = this;
    if (given === null) {
      this.given = [name, value];
      return true;
    }
    const at = indexOf(given, name);
    if (at !== -1) given[at + 1] = value;
    else if (given.length < LONGEST) {
      const end = given.length;
      given[end] = name;
      given[end + 1] = value;
    } else return false;
    return true;
  }

  private build(): void {
    const { given, packed, target } = this;
    if (packed === null) return;
    this.packed = null;
    const names = packed.names.written;
    for (let index = 0; index < names.length; index += 1) target[names[index] as string] = packed.value(index);
    if (given === null) return;
    for (let index = 0; index < given.length; index += 2) {
      const name = given[index] as string;
      const value = given[index + 1];
      this.note(name);
      if (value === GONE) deleteProperty(target, name);
      else target[name] = value;
    }
  }
}

/** Where in the list of what was written a member stands; -1 if it does not. */
function indexOf(given: readonly unknown[], name: string): number {
  for (let index = 0; index < given.length; index += 2) if (given[index] === name) return index;
  return -1;
}

/** Where a member stands that is written. */
function writtenPlace({ names: { places, count } }: PackedObject, name: string): number | undefined {
  const place = places[name];
  return place === undefined || place >= count ? undefined : place;
}
