import type { ClassDefinition } from "../storage/index.ts";
import { acceptClasses, type NamedClass } from "./accept-classes.ts";
import { builtInClasses } from "./built-in-classes.ts";
import { definitionFault } from "./given-class.ts";
import { Model } from "./model.ts";

/** No groups: a new database has none. */
const noObjects = { get: async () => [] };

/**
 * The classes of a new database: the built-in ones, and those given, which extend them or stand beside them. 307 for the first
 * fault; a right of a group other than `*` is one.
 */
export async function initialClasses(given: readonly NamedClass[]): Promise<readonly ClassDefinition[]> {
  const names = new Set<string>();
  for (const { name, pointer } of given) {
    if (names.has(name)) throw definitionFault(`${pointer}/name`, "another class has this name.");
    names.add(name);
  }
  const { after } = await acceptClasses(given, new Model({ generation: 0, classes: builtInClasses }), noObjects);
  return Array.from(after.all(), ({ definition }) => definition);
}
