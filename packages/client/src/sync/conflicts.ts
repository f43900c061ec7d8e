import { copyOfFields } from "../json.ts";
import type { DeviceRecords } from "./device-records.ts";
import type { Notice } from "./notices.ts";
import { type Fields, type HeldChange, type ObjectState, type PendingChange, pick, valueOf } from "./object-state.ts";
import { codes, refused, replaced } from "./outcomes.ts";

/** An edit that waits for a decision. */
export interface Conflict {
  readonly schema: string;
  readonly uuid: string;
  readonly className: string;
  readonly reason: HeldChange["reason"];
  /** The fields in conflict. */
  readonly fields: readonly string[];
  /** The edit of this device, also its fields without conflict. */
  readonly mine: Fields;
  /** The values before the edit. `null`: unknown. */
  readonly base: Fields | null;
  /** The object on the server. `null`: it has none. */
  readonly theirs: Fields | null;
}

/** `mine` pushes the edit over the server's values, `theirs` drops it, fields are pushed instead. */
export type Decision = "mine" | "theirs" | Fields;

export type ConflictHandler = (conflict: Conflict) => Decision | Promise<Decision>;

/** An undecided change, as of the moment of the decision. */
export interface Undecided {
  readonly uuid: string;
  readonly state: ObjectState;
  readonly change: PendingChange;
  readonly held: HeldChange;
}

/** The first undecided change. */
export async function firstHeld(records: DeviceRecords): Promise<Undecided | undefined> {
  const [place] = await records.list("held", undefined, 1);
  if (place === undefined) return undefined;
  const [key, uuid] = place;
  const state = await records.state(uuid);
  const change = state?.pending.find(({ sequence }) => records.sequenceOf(key) === sequence);
  if (state === undefined || change?.held === undefined)
    throw new Error("The storage is damaged: a held edit is lost.");
  return { uuid, state, change, held: change.held };
}

export async function decisionOn(
  { uuid, state, change, held }: Undecided,
  schema: string,
  handler: ConflictHandler | undefined,
): Promise<Decision> {
  if (handler === undefined) return held.reason === "takenBack" ? "mine" : "theirs";
  const { className, fields: theirs } = state;
  const conflict = { schema, uuid, className, ...held, mine: change.fields, base: change.base, theirs };
  const decision = await handler(conflict);
  return typeof decision === "string" ? decision : copyOfFields(decision);
}

/**
 * Executes a decision. The new change has the basis that the handler saw. An edit that a restore took back was acknowledged before,
 * and its user has a notice already: it gives no others.
 */
export function decide(
  undecided: Undecided,
  current: ObjectState,
  decision: Decision,
  id: string,
): [ObjectState | null, Notice[]] {
  const { uuid, state: seen, change, held } = undecided;
  const { className } = seen;
  const before = current.pending.find((each) => each.id === change.id && each.held !== undefined);
  if (before === undefined) return [current, []];
  const outcome = typeof decision === "string" ? decision : "custom";
  const conflicts: Notice[] =
    held.reason === "takenBack"
      ? []
      : held.fields.map((field) => {
          const [mine, theirs] = [valueOf(change.fields, field), valueOf(seen.fields, field)];
          return ["conflicts", { uuid, className, field, mine, theirs, kept: outcome }];
        });
  if (decision === "theirs") {
    const rest = current.pending.filter((each) => each !== before);
    const isGone = current.fields === null && before.version === 0;
    // Later edits of an object that is not created again cannot be executed.
    const dropped = [...(held.reason === "takenBack" ? [] : [before]), ...(isGone ? rest : [])];
    const lost = refused(uuid, current, dropped, codes.invalid, "The edit was dropped.");
    const state = isGone || (rest.length === 0 && current.fields === null) ? null : { ...current, pending: rest };
    return [state, [...conflicts, ...lost]];
  }
  const fields = decision === "mine" ? before.fields : decision;
  const edited = decision === "mine" ? {} : { fields, edits: undefined };
  // An edit that was taken back and is pushed unchanged keeps its basis, so that the server finds conflicts with writes after the restore.
  const basis =
    held.reason === "takenBack"
      ? { base: decision === "mine" || before.version === 0 ? before.base : pick(seen.fields, Object.keys(fields)) }
      : { version: seen.version, base: pick(seen.fields, Object.keys(fields)) };
  return [replaced(current, before, { ...before, ...basis, ...edited, id, held: undefined, isSent: false }), conflicts];
}
