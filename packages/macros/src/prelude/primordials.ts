/** Functions as they were before a module could replace them: what it replaces breaks its own code alone. */
export const { parse, stringify } = JSON;
export const { freeze, keys, is, hasOwn } = Object;
export const { isArray } = Array;
export const { apply } = Reflect;
export const toText = String;
export const { isSafeInteger } = Number;
export const { floor } = Math;
export const Integers = Int32Array;

const { create } = Object;
/** An object without a prototype: it has the members that it was given, and no others. */
export const record = <Value>(): Record<string, Value> => create(null) as Record<string, Value>;

/** A method as a function of what it is a method of. */
const uncurried = Function.prototype.bind.bind(Function.prototype.call) as <
  This,
  Given extends readonly unknown[],
  Result,
>(
  method: (this: This, ...given: Given) => Result,
) => (of: This, ...given: Given) => Result;

const cut = String.prototype.slice;
export const slice: (text: string, from: number, to?: number) => string = uncurried(cut);
const bind = uncurried(Function.prototype.bind);

/** Cuts pieces out of a text. */
export function slicing(text: string): (from: number, to: number) => string {
  return bind(cut, text) as (from: number, to: number) => string;
}
