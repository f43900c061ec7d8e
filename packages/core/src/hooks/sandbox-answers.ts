import type { JsonValue } from "../objects/stored-object.ts";
import type { ChosenSet } from "./active-hooks.ts";
import { hookFailure } from "./hook-failure.ts";
import type { MemberChanges, Members } from "./member-changes.ts";

/** Filters and lists of ids that one hook adds to a query. */
const mostAdditions = 100;

/** Reads what a hook did to so many objects. The sandbox is not believed: what is none of that is its failure. */
export function changesFrom(
  name: string,
  result: JsonValue | undefined,
  count: number,
): readonly (MemberChanges | null)[] {
  if (!Array.isArray(result) || result.length !== count) throw malformed(name);
  return result.map((each: JsonValue) => {
    if (each === null) return null;
    const { set, removed } = membersOf(each) ?? {};
    const members = membersOf(set);
    if (members === null || !isTexts(removed)) throw malformed(name);
    return { set: members, removed };
  });
}

/** Reads what a hook made of a set of objects. */
export function chosenFrom(name: string, result: JsonValue | undefined): ChosenSet {
  const { accepted, where, sort, oids } = membersOf(result) ?? {};
  if (typeof accepted !== "boolean" || !isAdditions(where) || !isAdditions(oids)) throw malformed(name);
  return { accepted, where, oids, ...(sort === undefined ? {} : { sort }) };
}

function membersOf(value: JsonValue | undefined): Members | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each: JsonValue) => typeof each === "string");
}

function isAdditions(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length <= mostAdditions;
}

function malformed(name: string) {
  return hookFailure(name, "gave what it cannot give.");
}
