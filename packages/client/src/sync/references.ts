import { restricted } from "./joined-edits.ts";
import { type Fields, type ObjectState, type PendingOperation, pick, valueOf } from "./object-state.ts";

/** The UUIDs to which a value refers, in lower case. */
export function referencesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const uuid = valueOf(value as Fields, "~UUID");
  const own = typeof uuid === "string" ? [uuid.toLowerCase()] : [];
  return [...own, ...Object.values(value).flatMap(referencesOf)];
}

/** Whether a value contains a reference to one of these objects; without `targets`, to any. */
export function hasReference(value: unknown, targets?: ReadonlySet<string>): boolean {
  return referencesOf(value).some((uuid) => targets === undefined || targets.has(uuid));
}

/** The fields of an operation that refer to one of these objects; without `targets`, to any. */
export function linksOf({ fields }: PendingOperation, targets?: ReadonlySet<string>): string[] {
  return Object.keys(fields).filter((name) => hasReference(fields[name], targets));
}

interface Rearranged {
  readonly state: ObjectState;
  /** The operation in its new form. */
  readonly operation: PendingOperation;
}

/** Moves references to an operation of their own, which follows at the same place of the queue. */
export function separated(
  state: ObjectState,
  operation: PendingOperation,
  names: readonly string[],
  linkId: string,
): Rearranged {
  const { fields, base, version } = operation;
  const others = Object.keys(fields).filter((name) => !names.includes(name));
  const baseOfLink = version === 0 || base !== null ? pick(base, names) : null;
  const ofLink = { id: linkId, base: baseOfLink, references: "link" } as const;
  const link = { ...operation, ...restricted(operation, names), ...ofLink };
  const rest = { ...operation, ...restricted(operation, others), references: "apart" } as const;
  const pending = state.pending.flatMap((each) => (each === operation ? [rest, link] : [each]));
  return { state: { ...state, pending }, operation: rest };
}

/** Takes the references of a separated operation back into it. `undefined` if they are gone. */
export function rejoined(state: ObjectState, operation: PendingOperation, id: string): Rearranged | undefined {
  const { fields, base } = operation;
  const link = linkOf(state, operation);
  if (link === undefined) return undefined;
  const [first = link.fields, ...later] = link.edits ?? [];
  const whole: PendingOperation = {
    ...operation,
    id,
    fields: { ...fields, ...link.fields },
    edits: later.length === 0 ? undefined : [{ ...fields, ...first }, ...later],
    base: base === null ? null : { ...link.base, ...base },
    references: "whole",
    isSent: false,
  };
  const pending = state.pending.filter((each) => each !== link).map((each) => (each === operation ? whole : each));
  return { state: { ...state, pending }, operation: whole };
}

/** The operation with the references of another one. */
export function linkOf({ pending }: ObjectState, operation: PendingOperation): PendingOperation | undefined {
  return pending.find(({ references, sequence }) => references === "link" && sequence === operation.sequence);
}
