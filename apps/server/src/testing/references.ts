import type { ObjectId } from "@sallyport/storage";
import type { InputAttributes } from "@sallyport/core";

export interface SeedObject {
  /** For references, and to find the id. */
  readonly name?: string;
  readonly className: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** The member that marks a reference by name. */
const mark = "~Ref";

/** A reference to a user or an object of the seed, as the value of an attribute or in a collection. */
interface SeedReference {
  readonly [mark]: string;
}

function isReference(value: unknown): value is SeedReference {
  return typeof value === "object" && value !== null && mark in value;
}

function namesIn(value: unknown): string[] {
  if (isReference(value)) return [value[mark]];
  return Array.isArray(value) ? value.filter(isReference).map((each) => each[mark]) : [];
}

interface Ordered {
  readonly ordered: readonly SeedObject[];
  /** Attributes to set after all objects exist, because their references form a circle. */
  readonly later: ReadonlyMap<SeedObject, ReadonlySet<string>>;
}

/** Sorts objects so that those that others reference come first. */
export function objectsInOrder(objects: readonly SeedObject[]): Ordered {
  const byName = new Map(objects.flatMap((each) => (each.name === undefined ? [] : [[each.name, each] as const])));
  const [done, open] = [new Set<SeedObject>(), new Set<SeedObject>()];
  const later = new Map<SeedObject, Set<string>>();
  const visit = (each: SeedObject): void => {
    open.add(each);
    for (const [attribute, value] of Object.entries(each.attributes ?? {}))
      for (const target of namesIn(value).flatMap((name) => byName.get(name) ?? [])) {
        if (!done.has(target) && !open.has(target)) visit(target);
        if (!done.has(target)) later.set(each, (later.get(each) ?? new Set()).add(attribute));
      }
    open.delete(each);
    done.add(each);
  };
  for (const each of objects) if (!done.has(each)) visit(each);
  return { ordered: [...done], later };
}

interface Resolved {
  readonly now: InputAttributes;
  readonly later: () => InputAttributes;
}

/** Replaces references by ids. Throws a `TypeError` for an unknown name. */
export function resolved(
  { className, attributes = {} }: SeedObject,
  ids: ReadonlyMap<string, ObjectId>,
  later: ReadonlySet<string> = new Set(),
): Resolved {
  const idOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(idOf);
    if (!isReference(value)) return value;
    const id = ids.get(value[mark]);
    if (id === undefined)
      throw new TypeError(`${className} refers to "${value[mark]}", which the seed does not contain.`);
    return id;
  };
  const part = (isLater: boolean) =>
    Object.fromEntries(
      Object.entries(attributes)
        .filter(([name]) => later.has(name) === isLater)
        .map(([name, value]) => [name, idOf(value)]),
    ) as InputAttributes;
  return { now: part(false), later: () => part(true) };
}
