/** Built-ins captured before a user module can replace them. */
export const { parse, stringify } = JSON;
export const { freeze, keys, is, hasOwn } = Object;
export const { isArray } = Array;
export const { apply } = Reflect;
export const toText = String;
export const { isFinite, isSafeInteger } = Number;
export const { floor } = Math;
export const Integers = Int32Array;

const { create } = Object;
/** An object without a prototype, so without inherited members. */
export const record = <Value>(): Record<string, Value> => create(null) as Record<string, Value>;

/** Turns a method into a function whose first argument is `this`. */
const uncurried = Function.prototype.bind.bind(Function.prototype.call) as <
  This,
  Arguments extends readonly unknown[],
  Result,
>(
  method: (this: This, ...args: Arguments) => Result,
) => (of: This, ...args: Arguments) => Result;

const cut = String.prototype.slice;
export const slice: (text: string, from: number, to?: number) => string = uncurried(cut);
export const indexOf: (text: string, part: string) => number = uncurried(String.prototype.indexOf);
const bind = uncurried(Function.prototype.bind);

/** Returns a function that slices the given text. */
export function slicing(text: string): (from: number, to: number) => string {
  return bind(cut, text) as (from: number, to: number) => string;
}
