import { type Model, type ModelClass, readableTargets } from "../../../model/index.ts";
import type { Filter, Hop, MetaType, SortKey, ValuePath, Visibility } from "../../../storage/index.ts";
import { conditionsOf, fault, type Place } from "./fault.ts";
import { isOrdered } from "./operand.ts";

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

/** References followed per object for filter and order. Each is a look-up, by far the most that a condition costs. */
export function followedReferences(filter: Filter, sort: readonly SortKey[]): number {
  const followed = conditionsOf(filter).map(({ kind, path: { hops, type } }) => {
    // Whether a link leads to something shows behind it.
    return hops.length + (kind === "empty" && (type === "reference" || type === "file") ? 1 : 0);
  });
  return [...followed, ...sort.map(({ path }) => path.hops.length)].reduce((sum, each) => sum + each, 0);
}

const mostKeys = 10;

/** Reads what a list is to be sorted by: names, with a `-` before them where the order is turned round. */
export function sortKeys(value: unknown, place: Place, source: PathSource): SortKey[] {
  if (!Array.isArray(value)) throw fault(place, "An array of names is expected.");
  if (value.length > mostKeys) throw fault(place, `There are more than ${mostKeys} names to sort by.`);
  return value.flatMap((name: unknown, index) => {
    const at = [...place, index];
    if (typeof name !== "string") throw fault(at, "A name is expected.");
    const descending = name.startsWith("-");
    const path = resolvePath(descending ? name.slice(1) : name, at, source);
    // What is missing everywhere sorts nothing.
    if (path === null) return [];
    if (!isOrdered(path.type)) throw fault(at, "Values of this attribute have no order.");
    return [{ path, descending }];
  });
}
