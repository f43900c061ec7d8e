import type { Page } from "../packed-items.ts";

/** The default export of a module; anything, until a driver has looked at it. */
export type Definition = Readonly<Record<string, unknown>>;

/** What an entry has besides its argument. */
export interface Surroundings {
  /** The values of objects that its argument tells the names of. */
  readonly page: Page | undefined;
  readonly chooseStatus: (message: string) => void;
}

/** Calls a module in one of the ways in which modules are called: knows what its functions take, and what becomes of what they give. */
export type Driver = (definition: Definition, argument: never, surroundings: Surroundings) => unknown;

// What a module's function takes and gives is the driver's matter.
type Function = (...parts: readonly unknown[]) => unknown;

/** A function of the module. */
export function functionOf(definition: Definition, name: string): Function {
  const found = definition[name];
  if (typeof found !== "function") throw new TypeError(`${name} is not a function`);
  return found as Function;
}
