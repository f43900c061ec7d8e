import {
  type Attributes,
  isObjectId,
  isVisible,
  type Links,
  objectNumber,
  type ObjectChange,
  type ObjectId,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import { kindOf } from "./departure-record.ts";
import type { State } from "./state.ts";

/** What is to be written, with the members of collections that the writer cannot mean to take out. */
export function keepMembers(
  state: State,
  object: StoredObject,
  { attributes, links }: ObjectChange,
  visibility: Visibility,
): { readonly attributes: Attributes; readonly links: Links } {
  const kept = Object.keys(links).flatMap((name) => {
    const given = listOf(attributes, name);
    if (given === null) return [];
    const named = new Set(given);
    const members = (listOf(object.attributes, name) ?? []).filter(
      (id) => !named.has(id) && stays(state, id, visibility),
    );
    return members.length === 0 ? [] : [[name, Object.freeze([...given, ...members])] as const];
  });
  const lists = Object.fromEntries(kept);
  return { attributes: { ...attributes, ...lists }, links: { ...links, ...lists } };
}

function listOf(attributes: Attributes, name: string): readonly ObjectId[] | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : null;
}

function stays({ objects, departures }: State, id: ObjectId, visibility: Visibility): boolean {
  const number = isObjectId(id) ? objectNumber(id) : 0;
  const live = objects.get(number);
  if (live !== undefined) return !isVisible(live, visibility);
  const departure = departures.get(number);
  return departure !== undefined && kindOf(departure) === "recycled";
}
