import { hashKey } from "@tanstack/react-query";
import { isRow, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";

/** Why what was typed is no value. */
export type FieldFault = "number" | "rounded" | "json" | "date" | "boolean";

/** What a person has made of a field. */
export interface FieldEdit {
  /** The value to be sent, as the server takes it. That before the fault, with one. */
  readonly value: unknown;
  /** What was typed, where the value can be written in other ways. */
  readonly text?: string | undefined;
  readonly fault?: FieldFault | undefined;
}

/** Edits by attribute. Fields that were not touched have none. */
export type FieldEdits = ReadonlyMap<string, FieldEdit>;

/** The value of an attribute as a write takes it: ids in place of objects. `undefined` if it was never set. */
export function sentValue(row: ObjectRow | null, { name, type }: Pick<ValueColumn, "name" | "type">): unknown {
  const value = row?.[name];
  if (type === "collection") return row === null ? undefined : membersOf(value).map((member) => member["~ObjectID"]);
  return type !== "json" && isRow(value) ? value["~ObjectID"] : value;
}

export function membersOf(collection: unknown): readonly ObjectRow[] {
  if (typeof collection !== "object" || collection === null || !("~Elements" in collection)) return [];
  return Array.isArray(collection["~Elements"]) ? collection["~Elements"].filter(isRow) : [];
}

/** Whether two values are equal. The order of members does not count. Absent and null differ. */
export function isSameValue(first: unknown, second: unknown): boolean {
  if (first === undefined || second === undefined) return first === second;
  return hashKey([first]) === hashKey([second]);
}

/** The members that a save sends: edited ones whose value differs from the stored one. */
export function changedMembers(
  row: ObjectRow | null,
  edits: FieldEdits,
  columns: readonly Pick<ValueColumn, "name" | "type">[],
): ReadonlyMap<string, unknown> {
  const entries = columns.flatMap((column): [string, unknown][] => {
    const edit = edits.get(column.name);
    if (edit === undefined || isSameValue(edit.value, sentValue(row, column))) return [];
    return [[column.name, edit.value]];
  });
  return new Map(entries);
}

export const hasFault = (edits: FieldEdits): boolean => [...edits.values()].some(({ fault }) => fault !== undefined);

/** The attribute and the reason of a refusal, such as `at /Since: A date is expected.` `null` if it names none. */
export function refusedMember(
  debugMessage: string | undefined,
): { readonly name: string; readonly reason: string } | null {
  const [, name, reason] = /^at \/([^/:]+)[^:]*: (.+)$/s.exec(debugMessage ?? "") ?? [];
  if (name === undefined || reason === undefined) return null;
  return { name: name.replaceAll("~1", "/").replaceAll("~0", "~"), reason };
}
