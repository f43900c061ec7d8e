import type { PackedObject } from "../packed-items.ts";
import { freeze } from "../primordials.ts";
import type { Members } from "./watch.ts";

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has, isExtensible, ownKeys, preventExtensions, set } =
  Reflect;

/**
 * Shows all attributes of a packed object, to be read. It is built, and frozen, when more is wanted of it than single members
 * that cannot change inside: until then there is nothing in the target. Some traps are those of `PackedWatch`, which cannot share them: it is a `Watch`.
 */
export class PackedView implements ProxyHandler<Members> {
  /** The object to be handed out. */
  readonly object: Members;
  private readonly target: Members;
  private packed: PackedObject | null;

  constructor(packed: PackedObject) {
    this.packed = packed;
    this.target = {};
    this.object = new Proxy(this.target, this);
  }

  get(target: Members, name: string | symbol): unknown {
    const { packed } = this;
    if (packed !== null && typeof name === "string") {
      const place = packed.names.places[name];
      if (place === undefined) return target[name];
      const value = packed.value(place);
      if (typeof value !== "object" || value === null) return value;
      this.build();
    }
    return target[name as string];
  }

  set(target: Members, name: string | symbol, value: unknown): boolean {
    this.build();
    if (!set(target, name, value)) throw new TypeError(`${typeof name === "string" ? name : "a symbol"} is read-only`);
    return true;
  }

  has(target: Members, name: string | symbol): boolean {
    this.build();
    return has(target, name);
  }

  ownKeys(target: Members): (string | symbol)[] {
    this.build();
    return ownKeys(target);
  }

  getOwnPropertyDescriptor(target: Members, name: string | symbol): PropertyDescriptor | undefined {
    this.build();
    return getOwnPropertyDescriptor(target, name);
  }

  defineProperty(target: Members, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    this.build();
    return defineProperty(target, name, descriptor);
  }

  deleteProperty(target: Members, name: string | symbol): boolean {
    this.build();
    return deleteProperty(target, name);
  }

  isExtensible(target: Members): boolean {
    this.build();
    return isExtensible(target);
  }

  preventExtensions(target: Members): boolean {
    this.build();
    return preventExtensions(target);
  }

  private build(): void {
    const { packed, target } = this;
    if (packed === null) return;
    this.packed = null;
    const { rest, written } = packed.names;
    for (let index = 0; index < rest.length; index += 1)
      target[rest[index] as string] = packed.value(written.length + index);
    for (let index = 0; index < written.length; index += 1) target[written[index] as string] = packed.value(index);
    freeze(target);
  }
}
