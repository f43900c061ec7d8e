import type { Model, ModelClass } from "../../model/model.ts";
import { readableTargets } from "../../rights/readable-targets.ts";
import type { Visibility } from "../../rights/visibility.ts";
import type { Hop, MetaType, ValuePath } from "../value-path.ts";
import { fault, type Place } from "./fault.ts";

/** Where a path begins, and what can be seen from there. */
export interface PathSource {
  readonly model: Model;
  readonly visibility: Visibility;
  /** The classes of the objects that are asked for, as far as the caller may read them. */
  readonly classes: readonly ModelClass[];
}

/** References in one path. */
const mostHops = 4;

const metaFields: ReadonlyMap<string, MetaType> = new Map([
  ["~ObjectID", "id"],
  ["~UUID", "uuid"],
  ["~ClassName", "class"],
  ["~StoreTime", "time"],
]);

/**
 * Reads a path as clients write it: names with dots between them. Names that the model does not know: 307. `null` when
 * it leads to classes of which the caller may read nothing: of those nothing is told, not even which names are right,
 * and whatever stands there is missing.
 */
export function resolvePath(text: string, place: Place, { model, visibility, classes }: PathSource): ValuePath | null {
  const names = text.split(".");
  const leaf = names.pop() as string;
  if (names.length > mostHops) throw fault(place, `The path follows more than ${mostHops} references.`);
  const hops: Hop[] = [];
  let holders = classes;
  for (const reference of names) {
    if (holders.length === 0) return null;
    const links = definitionsOf(holders, reference, place);
    if (links.some(({ type }) => type !== "reference")) throw fault(place, "A path leads through references only.");
    holders = [...new Set(links.flatMap((link) => readableTargets(link, model, visibility)))];
    hops.push({ reference, classes: holders.map(({ definition }) => definition.name) });
  }
  if (holders.length === 0) return null;
  const metaField = metaFields.get(leaf);
  if (metaField !== undefined) return { hops, leaf, type: metaField };
  const [attribute, ...others] = definitionsOf(holders, leaf, place);
  if (attribute === undefined || others.some(({ type }) => type !== attribute.type)) {
    throw fault(place, "The attribute has different types in the classes that it can be of.");
  }
  const indexed = hops.length === 0 && holders.every(({ attributes }) => attributes.get(leaf)?.indexed === true);
  return { hops, leaf, type: attribute.type, ...(indexed ? { indexed } : {}) };
}

function definitionsOf(classes: readonly ModelClass[], name: string, place: Place) {
  const found = classes.flatMap(({ attributes }) => attributes.get(name) ?? []);
  if (found.length === 0) throw fault(place, "There is no such attribute.");
  return found;
}
