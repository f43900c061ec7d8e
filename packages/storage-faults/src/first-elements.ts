import type { Call } from "./call.ts";

/** The arguments of a call, with so many elements of the first one. */
export function firstElements({ name, given: [list, ...others] }: Call, count: number): readonly unknown[] {
  if (!Array.isArray(list)) throw new TypeError(`${name} takes no list, so no part of it can be done.`);
  return [list.slice(0, count), ...others];
}
