import { restricted } from "./joined-edits.ts";
import { type Fields, type ObjectState, type PendingChange, pick, valueOf } from "./object-state.ts";

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

/** The fields of a change that refer to one of these objects; without `targets`, to any. */
export function linksOf({ fields }: PendingChange, targets?: ReadonlySet<string>): string[] {
  return Object.keys(fields).filter((name) => hasReference(fields[name], targets));
}

interface Rearranged {
  readonly state: ObjectState;
  /** The change in its new form. */
  readonly change: PendingChange;
}

/** Moves references to a change of their own, which follows at the same place of the queue. */
export function separated(
  state: ObjectState,
  change: PendingChange,
  names: readonly string[],
  linkId: string,
): Rearranged {
  const { fields, base, version } = change;
  const others = Object.keys(fields).filter((name) => !names.includes(name));
  const baseOfLink = version === 0 || base !== null ? pick(base, names) : null;
  const ofLink = { id: linkId, base: baseOfLink, references: "link" } as const;
  const link = { ...change, ...restricted(change, names), ...ofLink };
  const rest = { ...change, ...restricted(change, others), references: "apart" } as const;
  const pending = state.pending.flatMap((each) => (each === change ? [rest, link] : [each]));
  return { state: { ...state, pending }, change: rest };
}

/** Takes the references of a separated change back into it. `undefined` if they are gone. */
export function rejoined(state: ObjectState, change: PendingChange, id: string): Rearranged | undefined {
  const { fields, base } = change;
  const link = linkOf(state, change);
  if (link === undefined) return undefined;
  const [first = link.fields, ...later] = link.edits ?? [];
  const whole: PendingChange = {
    ...change,
    id,
    fields: { ...fields, ...link.fields },
    edits: later.length === 0 ? undefined : [{ ...fields, ...first }, ...later],
    base: base === null ? null : { ...link.base, ...base },
    references: "whole",
    isSent: false,
  };
  const pending = state.pending.filter((each) => each !== link).map((each) => (each === change ? whole : each));
  return { state: { ...state, pending }, change: whole };
}

/** The change with the references of another one. */
export function linkOf({ pending }: ObjectState, change: PendingChange): PendingChange | undefined {
  return pending.find(({ references, sequence }) => references === "link" && sequence === change.sequence);
}
