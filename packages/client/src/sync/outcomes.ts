import type { PushResultData, SyncObjectData, PushedChangeData } from "@sallyport/contract";
import type { FailureCode } from "../errors.ts";
import type { Notice } from "./notices.ts";
import {
  type Fields,
  newState,
  type ObjectState,
  type PendingChange,
  pick,
  sameValue,
  valueOf,
  viewOf,
  withCopy,
} from "./object-state.ts";
import { editByEdit } from "./joined-edits.ts";
import { hasReference, linksOf, rejoined, separated } from "./references.ts";

export type PushResult = PushResultData["results"][number];

/** A change as it was sent, and its result. */
export interface PushAnswer {
  readonly change: PushedChangeData;
  readonly result: PushResult;
}

/** The state of an object after an event, and what the user must learn of it. */
export interface Outcome {
  /** `null`: nothing of it remains. */
  readonly state: ObjectState | null;
  readonly notices: readonly Notice[];
  /** Set if the change waits for the next synchronization. */
  readonly postponed?: FailureCode;
}

/** The context of an event. */
export interface Moment {
  /** The run of restarts. */
  readonly generation: number;
  /** Id and sequence of a new change. */
  readonly next: () => Pick<PendingChange, "id" | "sequence">;
}

/** `null` outside restarts. `isRestored`: the server has another database than before. */
export type Restart = { readonly isRestored: boolean } | null;

export const codes = {
  done: 0,
  malformed: 307,
  forbidden: 404,
  invalid: 332,
  unknown: 334,
  deleted: 609,
  updateOfDeleted: 610,
} as const;

/** The code of a result; 0 for a success. */
export function codeOf({ internalStatus }: PushResult): FailureCode {
  return Number(internalStatus);
}

/** A received object. */
export function received(
  before: ObjectState | undefined,
  object: SyncObjectData,
  restart: Restart,
  { generation, next }: Moment,
): Outcome {
  const state = before ?? newState(object["~ClassName"]);
  if (restart === null)
    return object["~Version"] < state.version
      ? { state: { ...state, generation }, notices: [] }
      : { state: withCopy(state, object, generation), notices: [] };
  const copy = withCopy(state, object, generation);
  const isOlder = copy.version < state.version;
  if (!restart.isRestored && !isOlder) return { state: copy, notices: [] };
  const [uuid, className] = [object["~UUID"], copy.className];
  if (state.isRemoved) {
    const lost = { uuid, className, op: "delete", fields: {}, theirs: copy.fields, isQueued: false } as const;
    return { state: copy, notices: [["takenBack", lost]] };
  }
  const lost = state.own.filter(
    (name) => !copy.own.includes(name) && !state.pending.some(({ fields }) => Object.hasOwn(fields, name)),
  );
  if (lost.length === 0) return { state: copy, notices: [] };
  const fields = pick(state.fields, lost);
  const theirs = pick(copy.fields, lost);
  // Others may have written the object after the restore: without `base`, the server reports a conflict.
  const seen = isOlder ? { version: copy.version, base: theirs } : { version: state.version, base: null };
  const held = { reason: "takenBack", fields: lost } as const;
  const change = { ...next(), op: "put", ...seen, fields, isSent: false, held } as const;
  return {
    state: { ...copy, pending: [...copy.pending, change] },
    notices: [["takenBack", { uuid, className, op: "put", fields, theirs, isQueued: true }]],
  };
}

/** The server has no such object for the user any more. Changes that the server may have executed wait for their answer. */
export function gone(uuid: string, state: ObjectState, code: FailureCode): Outcome {
  if (state.isRemoved) return { state, notices: [] };
  const sent = state.pending.filter(({ isSent }) => isSent);
  const dropped = state.pending.filter(({ isSent }) => !isSent);
  return {
    state: sent.length === 0 ? null : { ...state, fields: null, own: [], pending: sent },
    notices: refusedPuts(uuid, state, dropped, code, nameOf(code)),
  };
}

/** An object that a complete pull after a restart did not contain. */
export function missing(uuid: string, state: ObjectState, isRestored: boolean, { generation, next }: Moment): Outcome {
  if (state.fields === null || state.generation >= generation) return { state, notices: [] };
  if (!isRestored || (state.own.length === 0 && !state.isCreator)) return gone(uuid, state, codes.unknown);
  const { className } = state;
  const view = viewOf(state);
  if (!state.isCreator || view === null) {
    const { state: after, notices } = gone(uuid, state, codes.unknown);
    const lost = {
      uuid,
      className,
      op: "put",
      fields: pick(state.fields, state.own),
      theirs: null,
      isQueued: false,
    } as const;
    return { state: after, notices: [["takenBack", lost], ...notices] };
  }
  const held = { reason: "takenBack", fields: state.own } as const;
  const change = {
    ...next(),
    op: "put",
    version: 0,
    base: null,
    fields: view,
    isSent: false,
    held,
  } as const;
  return {
    state: { ...newState(className), pending: [change] },
    notices: [["takenBack", { uuid, className, op: "put", fields: view, theirs: null, isQueued: true }]],
  };
}

/** UUIDs of objects that are still to be created. */
export interface Uncreated {
  /** By a later synchronization. */
  readonly postponed: ReadonlySet<string>;
  /** By a change that replaces a refused one. */
  readonly repeated: ReadonlySet<string>;
}

/** The answer to a change. */
export function settled(
  uuid: string,
  before: ObjectState | undefined,
  { change: pushed, result }: PushAnswer,
  { generation, next }: Moment,
  uncreated: Uncreated,
): Outcome {
  const state = before ?? newState(pushed.className ?? "");
  const change = state.pending.find(({ id }) => id === pushed.id) ?? discardedChange(state, pushed, result);
  if (change === undefined) return { state: before ?? null, notices: [] };
  const rest = state.pending.filter((each) => each !== change);
  const code = codeOf(result);
  if (code === codes.done && change.op === "put") return applied(uuid, state, change, result, generation);
  if (code === codes.done || (code === codes.deleted && change.op === "delete")) {
    const version = result.version ?? state.version;
    const removal = { ...newState(state.className), version, generation, isRemoved: true };
    return {
      state: removal,
      notices: refusedPuts(uuid, state, rest, codes.updateOfDeleted, nameOf(codes.updateOfDeleted)),
    };
  }
  if (isPassing(code)) return { state, notices: [], postponed: code };
  // The refusal is stored under its id. The next attempt is another change.
  const again = { ...change, id: next().id, isSent: false };
  if (hasReference(change.fields, uncreated.postponed))
    return { state: replaced(state, change, again), notices: [], postponed: code };
  if (hasReference(change.fields, uncreated.repeated)) return { state: replaced(state, change, again), notices: [] };
  const { conflicts = [], object } = result;
  if (code === codes.invalid && conflicts.length > 0) {
    const current =
      object === undefined || object["~Version"] < state.version ? state : withCopy(state, object, generation);
    const held = { reason: "rejected", fields: conflicts.map(({ field }) => field) } as const;
    return { state: replaced(current, change, { ...change, held }), notices: [] };
  }
  const isOfObject = code === codes.unknown || code === codes.updateOfDeleted;
  const rearranged = isOfObject || code === codes.forbidden ? undefined : rearrange(state, change, code, next);
  if (rearranged !== undefined) return { state: rearranged, notices: [] };
  const endsObject = isOfObject || state.version === 0;
  const notices = refused(uuid, state, [change], code, result.statusMessage);
  if (endsObject)
    return { state: null, notices: [...notices, ...refusedPuts(uuid, state, rest, code, result.statusMessage)] };
  return { state: { ...state, pending: rest.map((each) => onTopOf(state.fields, change.fields, each)) }, notices };
}

/** Makes a change of each reference, at the same place of the queue. */
function oneByOne(
  state: ObjectState,
  change: PendingChange,
  links: readonly string[],
  next: Moment["next"],
): ObjectState {
  const single = links.map((name): PendingChange => {
    const base = change.base === null ? null : pick(change.base, [name]);
    return { ...change, id: next().id, fields: pick(change.fields, [name]), base };
  });
  return { ...state, pending: state.pending.flatMap((each) => (each === change ? single : [each])) };
}

/** A refused change in parts, each of which is pushed on its own. `undefined` if there is nothing more to try. */
function rearrange(
  state: ObjectState,
  change: PendingChange,
  code: FailureCode,
  next: Moment["next"],
): ObjectState | undefined {
  const single = editByEdit(state, change, () => next().id);
  if (single !== undefined || code !== codes.malformed) return single;
  return withOtherReferences(state, change, next);
}

/** A refused change whose references can be the reason: they follow it, or come back into it. */
function withOtherReferences(state: ObjectState, change: PendingChange, next: Moment["next"]): ObjectState | undefined {
  const again = { ...change, id: next().id, isSent: false };
  const links = linksOf(change);
  if (change.references === "apart") {
    const whole = rejoined(state, change, again.id);
    if (whole === undefined || links.length === 0) return whole?.state;
    return separated(whole.state, whole.change, linksOf(whole.change), next().id).state;
  }
  if (change.references === "whole" || links.length === 0) return undefined;
  const current = replaced(state, change, again);
  const isLink = change.version !== 0 && links.length === Object.keys(change.fields).length;
  if (!isLink) return separated(current, again, links, next().id).state;
  // One of several references can be the reason.
  return links.length === 1 ? undefined : oneByOne(current, again, links, next);
}

/** An executed change that the user has discarded. `undefined`: another tab has stored the answer. */
function discardedChange(
  state: ObjectState,
  { id, op, syncVersion, fields = {} }: PushedChangeData,
  result: PushResult,
): PendingChange | undefined {
  const { version = 0 } = result;
  if (codeOf(result) !== codes.done || version <= state.version) return undefined;
  return { id, op, version: Number(syncVersion), fields, base: null, sequence: 0, isSent: true };
}

/** A successful put. */
function applied(
  uuid: string,
  state: ObjectState,
  change: PendingChange,
  { version = 0, objectId, object, conflicts = [], merged = [] }: PushResult,
  generation: number,
): Outcome {
  const { className } = state;
  const lostFields = conflicts.filter((conflict) => conflict.kept !== "mine").map(({ field }) => field);
  const written = Object.keys(change.fields).filter((name) => !lostFields.includes(name));
  const notices: Notice[] = conflicts.map(({ field, theirs, kept: choice }) => [
    "conflicts",
    { uuid, className, field, mine: valueOf(change.fields, field), theirs, kept: choice },
  ]);
  if (merged.length > 0) notices.push(["merged", { uuid, className, fields: merged }]);
  const pending = state.pending
    .filter((each) => each !== change)
    .map((each) => (each.version === 0 ? { ...each, version } : each));
  const isKnown = state.fields !== null || change.version === 0;
  let after: ObjectState = { ...state, pending };
  if (object !== undefined && object["~Version"] >= state.version) after = withCopy(after, object, generation);
  else if (isKnown && version > state.version) {
    // The answer to a repeated change has no object. If the server holds something else, the changes contain it.
    const fields = { ...state.fields, ...pick(change.fields, written) };
    after = { ...after, fields, version, generation, objectId: objectId ?? state.objectId };
  }
  if (after.fields === null) return { state: pending.length === 0 ? null : after, notices };
  const own = written.filter((name) => sameValue(valueOf(after.fields, name), valueOf(change.fields, name)));
  const isCreator = state.isCreator || change.version === 0;
  return { state: { ...after, isCreator, own: [...new Set([...after.own, ...own])] }, notices };
}

/** An edit whose basis was refused: its user saw values that the server does not have. */
function onTopOf(fields: Fields | null, refusedFields: Fields, change: PendingChange): PendingChange {
  if (change.isSent || change.base === null) return change;
  const undone = Object.keys(change.base).filter((name) => Object.hasOwn(refusedFields, name));
  return { ...change, base: { ...change.base, ...pick(fields, undone) } };
}

export function replaced(state: ObjectState, before: PendingChange, after: PendingChange): ObjectState {
  return { ...state, pending: state.pending.map((each) => (each === before ? after : each)) };
}

export function refused(
  uuid: string,
  { className }: ObjectState,
  changes: readonly PendingChange[],
  code: FailureCode,
  message: string,
): Notice[] {
  return changes.map(({ op, fields: own, edits = [] }) => {
    const fields: Fields = op === "delete" ? Object.assign({}, ...edits) : own;
    return ["refused", { uuid, className, op, code, message, fields }];
  });
}

/** A removal of an object that is gone is done. */
function refusedPuts(
  uuid: string,
  state: ObjectState,
  changes: readonly PendingChange[],
  code: FailureCode,
  message: string,
): Notice[] {
  return refused(
    uuid,
    state,
    changes.filter(({ op }) => op === "put"),
    code,
    message,
  );
}

/** Failures of the server, not of the change. */
function isPassing(code: FailureCode): boolean {
  return (code >= 699 && code <= 799) || code === 607 || code === 800;
}

const nameOf = (code: FailureCode) =>
  code === codes.updateOfDeleted ? "The object is deleted." : "The object is no longer visible.";
