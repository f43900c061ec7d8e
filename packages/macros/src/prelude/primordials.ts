/** Functions as they were before a module could replace them: what it replaces breaks its own code alone. */
export const { parse, stringify } = JSON;
export const { freeze, keys, is, hasOwn } = Object;
export const { isArray } = Array;
export const toText = String;
export const { isSafeInteger } = Number;
export const { floor } = Math;
