import { ServiceError } from "@sallyport/storage";
import { applyChange } from "./apply-changes.ts";
import { type SchemaView, schemaView } from "../schema-view.ts";
import { unknownField } from "./plan-put.ts";
import {
  type DeleteChange,
  type SyncDeleteOutcome,
  changeUuid,
  requirePush,
  type PutChange,
  type SyncPutOutcome,
} from "./device-change.ts";
import { type SyncObject, syncObjects } from "../sync-objects.ts";
import type { PushContext } from "./change-writer.ts";

/** The change of a request, whose path has a UUID, too. */
export interface ChangeInput<Change> {
  readonly uuid: string | undefined;
  readonly change: Omit<Change, "uuid">;
}

export interface SyncTarget {
  readonly schemaName: string;
  /** As in the path. */
  readonly uuid: string;
}

/**
 * Creates or changes one object of a schema. Errors, in this order: 717, 611, 333, the fault of the change, 332 for a
 * schema that clients can only pull, or for a field of no class of it, 336 for different UUIDs. Then those of the
 * change; see `writeDeviceChange`.
 *
 * @param input the change, or its fault: 338, 330 or 332
 */
export async function putSynced(
  context: PushContext,
  target: SyncTarget,
  input: ChangeInput<PutChange> | ServiceError,
): Promise<SyncPutOutcome & { readonly object?: SyncObject }> {
  const { view, change, uuid } = await accept(context, target, input, unknownField);
  const { outcome, object } = await applyChange(context, view, { ...change, uuid });
  const [shown] = object === null ? [] : await syncObjects(context, view, [object]);
  return { ...(outcome as SyncPutOutcome), ...(shown === undefined ? {} : { object: shown }) };
}

/**
 * Deletes one object of a schema. Errors: as `putSynced`.
 *
 * @param input the change, or its fault: 338, 330 or 332
 */
export async function deleteSynced(
  context: PushContext,
  target: SyncTarget,
  input: ChangeInput<DeleteChange> | ServiceError,
): Promise<SyncDeleteOutcome> {
  const { view, change, uuid } = await accept(context, target, input);
  return (await applyChange(context, view, { ...change, uuid })).outcome;
}

async function accept<Change>(
  context: PushContext,
  { schemaName, uuid }: SyncTarget,
  input: ChangeInput<Change> | ServiceError,
  faultOf: (change: Omit<Change, "uuid">, view: SchemaView) => ServiceError | null = () => null,
): Promise<{ view: SchemaView; change: Omit<Change, "uuid">; uuid: string }> {
  const required = await context.services.syncSchemas.require(context, schemaName);
  if (input instanceof ServiceError) throw input;
  requirePush(required);
  const view = await schemaView(context, required);
  const fault = faultOf(input.change, view);
  if (fault !== null) throw fault;
  return { change: input.change, uuid: changeUuid(input.uuid, uuid), view };
}
