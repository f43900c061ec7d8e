import { type Fields, type ObjectState, type PendingChange, pick } from "./object-state.ts";

type Joined = Pick<PendingChange, "fields" | "edits">;

/**
 * Fields with one more edit. The first edit stays as it was made, so that the object it creates can be created without
 * the later ones. Later edits replace one another.
 */
export function joined({ fields, edits = [fields] }: Joined, added: Fields): Joined {
  const [first = fields, ...later] = edits;
  const names = Object.keys(added);
  const others = partsOf(later, (name) => !names.includes(name));
  return { fields: { ...fields, ...added }, edits: [first, ...others, added] };
}

/** The fields of joined edits that have one of these names. */
export function restricted({ fields, edits }: Joined, names: readonly string[]): Joined {
  const ownEdits = edits && partsOf(edits, (name) => names.includes(name));
  return { fields: pick(fields, names), edits: ownEdits === undefined || ownEdits.length < 2 ? undefined : ownEdits };
}

/** Makes a change of each edit, at the same place of the queue. `undefined` if there is only one edit. */
export function editByEdit(state: ObjectState, change: PendingChange, newId: () => string): ObjectState | undefined {
  const { edits, version, base } = change;
  if (change.op !== "put" || edits === undefined) return undefined;
  let seen: Fields = base ?? {};
  const changes = edits.map((fields, index): PendingChange => {
    const names = Object.keys(fields);
    const knownNames = version === 0 || base !== null ? names : names.filter((name) => Object.hasOwn(seen, name));
    const hasBase = index > 0 || base !== null;
    const single = { ...change, id: newId(), fields, edits: undefined, base: hasBase ? pick(seen, knownNames) : null };
    seen = { ...seen, ...fields };
    // The links of the change belong to the first of its edits.
    return index === 0 ? { ...single, isSent: false } : { ...single, references: undefined, isSent: false };
  });
  return { ...state, pending: state.pending.flatMap((each) => (each === change ? changes : [each])) };
}

function partsOf(edits: readonly Fields[], isKept: (name: string) => boolean): Fields[] {
  return edits
    .map((edit) => pick(edit, Object.keys(edit).filter(isKept)))
    .filter((edit) => Object.keys(edit).length > 0);
}
