import {
  type Fields,
  newState,
  type ObjectState,
  type PendingChange,
  pick,
  sameValue,
  viewOf,
} from "./object-state.ts";
import { joined } from "./joined-edits.ts";
import { hasReference } from "./references.ts";

/** The place of an edit in the queue. */
export interface EditPlace {
  /** Id of a new change. */
  readonly id: string;
  /** Sequence of a new change. */
  readonly sequence: number;
  /** Sequence of the latest change. */
  readonly latest: number;
}

/** An object that the device creates. */
export function created(className: string, fields: Fields, { id, sequence }: EditPlace): ObjectState {
  const change = { id, sequence, op: "put", version: 0, fields, base: null, isSent: false } as const;
  return { ...newState(className), pending: [change] };
}

/** Changes fields. Without a difference to what the user sees, the state stays the same. */
export function updated(state: ObjectState, values: Fields, place: EditPlace): ObjectState {
  const view = viewOf(state);
  if (view === null) throw new Error("The object is not on this device, or it was removed.");
  const names = Object.keys(values).filter(
    (name) => !(Object.hasOwn(view, name) && sameValue(view[name], values[name])),
  );
  if (names.length === 0) return state;
  const fields = pick(values, names);
  const last = state.pending.at(-1);
  if (last !== undefined && joins(last, fields, place)) {
    const base = last.base === null ? null : { ...pick(view, names), ...last.base };
    return {
      ...state,
      pending: [...state.pending.slice(0, -1), { ...last, ...joined(last, fields), base }],
    };
  }
  const { id, sequence } = place;
  const base = pick(view, names);
  const change = { id, sequence, op: "put", version: state.version, fields, base, isSent: false } as const;
  return { ...state, pending: [...state.pending, change] };
}

/**
 * Whether an edit joins the previous change of its object. A reference must not move before the change that
 * creates its target.
 */
function joins({ op, isSent, held, sequence }: PendingChange, fields: Fields, { latest }: EditPlace): boolean {
  return op === "put" && !isSent && held === undefined && (sequence === latest || !hasReference(fields));
}

/** Removes an object. `null` if nothing of it remains. */
export function removed(state: ObjectState, { id, sequence, latest }: EditPlace): ObjectState | null {
  if (viewOf(state) === null) return state;
  const { version } = state;
  const [first] = state.pending;
  // The server does not know the object, and no later change can refer to it.
  if (version === 0 && first !== undefined && !first.isSent && first.sequence === latest) return null;
  const remaining = state.pending.filter((change) => change.isSent || (change === first && change.version === 0));
  const dropped = state.pending.filter((each) => !remaining.includes(each)).map(({ fields }) => fields);
  const edits = dropped.length === 0 ? undefined : dropped;
  const change = { id, sequence, op: "delete", version, fields: {}, edits, base: null, isSent: false } as const;
  return { ...state, pending: [...remaining, change] };
}

/** Drops all edits. `null` if the server has no such object. */
export function discarded(state: ObjectState): ObjectState | null {
  return state.fields === null && !state.isRemoved ? null : { ...state, pending: [] };
}
