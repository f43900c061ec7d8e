import { keys } from "../primordials.ts";
import type { Definition } from "./driver.ts";

/** What a module says about itself: all that is data, and `true` for every function. */
export function declare(definition: Definition): object {
  const declaration = Object.create(null) as Record<string, unknown>;
  for (const name of keys(definition)) {
    const value = definition[name];
    declaration[name] = typeof value === "function" ? true : value;
  }
  return declaration;
}
