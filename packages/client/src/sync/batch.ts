import type { SyncOperationData } from "@sallyport/contract";
import type { DeviceRecords } from "./device-records.ts";
import { hasReference, type ObjectState, type PendingOperation, pick, referencesOf } from "./object-state.ts";
import { replaced } from "./outcomes.ts";

/** Bytes of the operations of a push. The server accepts 8 MiB with the rest of the body. */
const maxBytes = 8 * 1024 * 1024 - 64 * 1024;

export interface BatchLimits {
  readonly maxOperations: number;
  /** Objects whose operations wait. */
  readonly postponed: { has(uuid: string): boolean };
  /** Objects whose creation waits. Operations that refer to them wait, too. */
  readonly waiting: ReadonlySet<string>;
  readonly newId: () => string;
}

/**
 * The next operations in the order of the edits, marked as sent: they no longer change. At most one per object. An
 * operation waits for the creation of the objects to which it refers: after a restore, their creations can come later.
 */
export async function nextBatch(records: DeviceRecords, limits: BatchLimits): Promise<SyncOperationData[]> {
  const batch = new Map<string, SyncOperationData>();
  let firstBlocked: BlockedCreation | undefined;
  let bytes = 0;
  for (let after: string | undefined; ; ) {
    const places = await records.list("queue", after);
    const states = await records.states([...new Set(places.map(([, uuid]) => uuid))]);
    const targets = await records.states([...new Set([...states.values()].flatMap(targetsOf))]);
    for (const [key, uuid] of places) {
      const state = states.get(uuid);
      const operation = state?.pending[0];
      if (state === undefined || operation === undefined || limits.postponed.has(uuid)) continue;
      // The object has an earlier operation: in this batch, or it waits for a decision.
      if (batch.has(uuid)) return [...batch.values()];
      if (records.sequenceOf(key) !== operation.sequence || operation.held !== undefined) continue;
      if (hasReference(operation.fields, limits.waiting)) continue;
      const isMissing = (each: string) => each !== uuid && !batch.has(each) && isNew(targets.get(each));
      const missing = targetsOf(state).filter(isMissing);
      if (missing.length > 0) {
        if (isNew(state) && !operation.isSent) firstBlocked ??= { uuid, state, missing: new Set(missing) };
        continue;
      }
      const sent = wireOf(uuid, state, operation);
      bytes += new TextEncoder().encode(JSON.stringify(sent)).length + 1;
      if (batch.size > 0 && bytes > maxBytes) return [...batch.values()];
      batch.set(uuid, sent);
      if (!operation.isSent) records.setState(uuid, state, replaced(state, operation, { ...operation, isSent: true }));
      if (batch.size >= limits.maxOperations) return [...batch.values()];
    }
    after = places.at(-1)?.[0];
    if (after === undefined) break;
  }
  if (batch.size > 0 || firstBlocked === undefined || limits.waiting.size > 0) return [...batch.values()];
  return [await sendWithoutReferences(records, firstBlocked, limits.newId)];
}

/** A creation that refers to objects that are not created yet. */
interface BlockedCreation {
  readonly uuid: string;
  readonly state: ObjectState;
  readonly missing: ReadonlySet<string>;
}

const targetsOf = ({ pending: [operation] }: ObjectState) => referencesOf(operation?.fields);
const isNew = (state: ObjectState | undefined) => state?.version === 0 && state.pending[0]?.op === "put";

/** New objects that refer to each other are created without these references, which a second operation writes. */
async function sendWithoutReferences(
  records: DeviceRecords,
  { uuid, state, missing }: BlockedCreation,
  newId: () => string,
): Promise<SyncOperationData> {
  const position = await records.position();
  const [creation, ...later] = state.pending as [PendingOperation, ...PendingOperation[]];
  const names = Object.keys(creation.fields);
  const references = names.filter((name) => hasReference(creation.fields[name], missing));
  const others = names.filter((name) => !references.includes(name));
  const sequence = position.sequence + 1;
  const fields = pick(creation.fields, references);
  const link: PendingOperation = { ...creation, id: newId(), sequence, fields, base: pick(null, references) };
  const sent: PendingOperation = { ...creation, fields: pick(creation.fields, others), isSent: true };
  records.setState(uuid, state, { ...state, pending: [sent, link, ...later] });
  records.setPosition({ ...position, sequence });
  return wireOf(uuid, state, sent);
}

function wireOf(
  uuid: string,
  { className }: ObjectState,
  { id, op, version, fields, base }: PendingOperation,
): SyncOperationData {
  const common = { id, op, uuid, syncVersion: String(version) } as const;
  if (op === "delete") return common;
  if (version === 0) return { ...common, className, fields };
  return base === null ? { ...common, fields } : { ...common, fields, base };
}
