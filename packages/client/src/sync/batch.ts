import type { SyncOperationData } from "@sallyport/contract";
import type { DeviceRecords } from "./device-records.ts";
import { hasReference, type ObjectState, type PendingOperation } from "./object-state.ts";
import { replaced } from "./outcomes.ts";

/** Bytes of the operations of a push. The server accepts 8 MiB with the rest of the body. */
const maxBytes = 8 * 1024 * 1024 - 64 * 1024;

export interface BatchLimits {
  readonly maxOperations: number;
  /** Objects whose operations wait. */
  readonly postponed: { has(uuid: string): boolean };
  /** Objects whose creation waits. Operations that refer to them wait, too. */
  readonly waiting: ReadonlySet<string>;
}

/** The next operations in the order of the edits, marked as sent: they no longer change. At most one per object. */
export async function nextBatch(records: DeviceRecords, limits: BatchLimits): Promise<SyncOperationData[]> {
  const batch = new Map<string, SyncOperationData>();
  let bytes = 0;
  for (let after: string | undefined; ; ) {
    const places = await records.list("queue", after);
    const states = await records.states([...new Set(places.map(([, uuid]) => uuid))]);
    for (const [key, uuid] of places) {
      const state = states.get(uuid);
      const operation = state?.pending[0];
      if (state === undefined || operation === undefined || limits.postponed.has(uuid)) continue;
      // The object has an earlier operation: in this batch, or it waits for a decision.
      if (batch.has(uuid)) return [...batch.values()];
      if (records.sequenceOf(key) !== operation.sequence || operation.held !== undefined) continue;
      if (hasReference(operation.fields, limits.waiting)) continue;
      const sent = wireOf(uuid, state, operation);
      bytes += new TextEncoder().encode(JSON.stringify(sent)).length + 1;
      if (batch.size > 0 && bytes > maxBytes) return [...batch.values()];
      batch.set(uuid, sent);
      if (!operation.isSent) records.setState(uuid, state, replaced(state, operation, { ...operation, isSent: true }));
      if (batch.size >= limits.maxOperations) return [...batch.values()];
    }
    after = places.at(-1)?.[0];
    if (after === undefined) return [...batch.values()];
  }
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
