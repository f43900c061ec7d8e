import type { Attributes, ObjectChange, ObjectId, StoredObject, Visibility } from "@sallyport/core";
import { objectNumbers } from "./object-numbers.ts";
import type { ObjectReads } from "./object-reads.ts";

/** A change and the object that it is about. */
export interface Changing {
  readonly change: ObjectChange;
  readonly object: StoredObject;
}

/** A collection that gets another list than it has. */
interface NewList {
  readonly name: string;
  readonly given: readonly ObjectId[];
  /** The members that are not in it any more. */
  readonly missing: readonly ObjectId[];
}

/** The changes, in whose collections those members stay that the writer cannot mean to take out. */
export async function withKeptMembers(
  changing: readonly Changing[],
  visibility: Visibility,
  reads: ObjectReads,
): Promise<Changing[]> {
  const missing = changing.flatMap((each) => newLists(each).flatMap((list) => list.missing));
  const kept = missing.length === 0 ? new Set<ObjectId>() : await reads.outOfSight(objectNumbers(missing), visibility);
  if (kept.size === 0) return [...changing];
  return changing.map(({ change, object }) => {
    const lists = newLists({ change, object }).map(
      ({ name, given, missing: those }) => [name, [...given, ...those.filter((id) => kept.has(id))]] as const,
    );
    const whole = Object.fromEntries(lists);
    return {
      object,
      change: { ...change, attributes: { ...change.attributes, ...whole }, links: { ...change.links, ...whole } },
    };
  });
}

function newLists({ change: { attributes, links }, object }: Changing): NewList[] {
  return Object.keys(links).flatMap((name) => {
    const [given, held] = [listIn(attributes, name), listIn(object.attributes, name)];
    return given === null || held === null ? [] : [{ name, given, missing: held.filter((id) => !given.includes(id)) }];
  });
}

function listIn(attributes: Attributes, name: string): readonly ObjectId[] | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : null;
}
