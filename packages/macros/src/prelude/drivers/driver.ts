/** The default export of a module; anything, until a driver has looked at it. */
export type Definition = Readonly<Record<string, unknown>>;

/** What an entry has besides its argument. */
export interface Surroundings {
  /** What its argument says of texts by their places. */
  readonly text: string;
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
