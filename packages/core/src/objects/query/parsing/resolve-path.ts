import { type Model, type ModelClass, readableTargets } from "../../../model/index.ts";
import {
  type Filter,
  type Hop,
  isSingleLink,
  type MetaType,
  type SortKey,
  type ValuePath,
  type Visibility,
} from "@sallyport/storage";
import { conditionsOf, fault, type Place } from "./fault.ts";
import { isOrdered } from "./operand.ts";

/** The classes and the visibility that a path starts from. */
export interface PathSource {
  readonly model: Model;
  readonly visibility: Visibility;
  /** The readable classes of the queried objects. */
  readonly classes: readonly ModelClass[];
}

/** Limit for the references in one path. */
const maxHops = 4;

const metaFields: ReadonlyMap<string, MetaType> = new Map([
  ["~ObjectID", "id"],
  ["~UUID", "uuid"],
  ["~ClassName", "class"],
  ["~StoreTime", "time"],
]);

/**
 * Parses a path: names separated by dots. 307 for a name unknown to the model. `null` if the path leads to classes that
 * the caller cannot read: they reveal nothing, not even whether a name exists, and all values are missing.
 */
export function resolvePath(text: string, place: Place, { model, visibility, classes }: PathSource): ValuePath | null {
  const names = text.split(".");
  const leaf = names.pop() as string;
  if (names.length > maxHops) throw fault(place, `A path can follow at most ${maxHops} references.`);
  const hops: Hop[] = [];
  let holders = classes;
  for (const reference of names) {
    if (holders.length === 0) return null;
    const links = definitionsOf(holders, reference, place);
    if (links.some(({ type }) => !isSingleLink(type))) throw fault(place, "A path can only follow references.");
    holders = [...new Set(links.flatMap((link) => readableTargets(link, model, visibility)))];
    hops.push({ reference, classes: holders.map(({ definition }) => definition.name) });
  }
  if (holders.length === 0) return null;
  const metaField = metaFields.get(leaf);
  if (metaField !== undefined) return { hops, leaf, type: metaField };
  const [attribute, ...others] = definitionsOf(holders, leaf, place);
  if (attribute === undefined || others.some(({ type }) => type !== attribute.type)) {
    throw fault(place, "The attribute has different types in the possible classes.");
  }
  const indexed = hops.length === 0 && holders.every(({ attributes }) => attributes.get(leaf)?.indexed === true);
  return { hops, leaf, type: attribute.type, ...(indexed ? { indexed } : {}) };
}

function definitionsOf(classes: readonly ModelClass[], name: string, place: Place) {
  const definitions = classes.flatMap(({ attributes }) => attributes.get(name) ?? []);
  if (definitions.length === 0) throw fault(place, "There is no attribute with this name.");
  return definitions;
}

/** References followed per object for filter and sort. Each is a look-up, by far the most expensive part of a condition. */
export function followedReferences(filter: Filter, sort: readonly SortKey[]): number {
  let followed = 0;
  for (const { kind, path } of conditionsOf(filter)) {
    followed += path.hops.length;
    // `empty` follows the link itself, to check its target.
    if (kind === "empty" && isSingleLink(path.type)) followed += 1;
  }
  for (const { path } of sort) followed += path.hops.length;
  return followed;
}

const maxKeys = 10;

/** Parses sort keys: names, with a leading `-` for descending order. */
export function sortKeys(value: unknown, place: Place, source: PathSource): SortKey[] {
  if (!Array.isArray(value)) throw fault(place, "An array of names is expected.");
  if (value.length > maxKeys) throw fault(place, `At most ${maxKeys} sort keys are allowed.`);
  return value.flatMap((name: unknown, index) => {
    const at = [...place, index];
    if (typeof name !== "string") throw fault(at, "A name is expected.");
    const descending = name.startsWith("-");
    const path = resolvePath(descending ? name.slice(1) : name, at, source);
    // A value missing in all objects does not affect the order.
    if (path === null) return [];
    if (!isOrdered(path.type)) throw fault(at, "Values of this attribute have no order.");
    return [{ path, descending }];
  });
}
