import { ServiceError } from "@sallyport/storage";
import { executeOperation } from "./execute-operations.ts";
import { type SchemaView, schemaView } from "../schema-view.ts";
import { unknownField } from "./plan-put.ts";
import {
  type DeleteOperation,
  type SyncDeleteOutcome,
  operationUuid,
  requirePush,
  type PutOperation,
  type SyncPutOutcome,
} from "./sync-operation.ts";
import { type SyncObject, syncObjects } from "../sync-objects.ts";
import type { PushContext } from "./operation-writer.ts";

/** The operation of a request, whose path has a UUID, too. */
export interface GivenOperation<Operation> {
  readonly uuid: string | undefined;
  readonly operation: Omit<Operation, "uuid">;
}

export interface SyncTarget {
  readonly schemaName: string;
  /** As in the path. */
  readonly uuid: string;
}

/**
 * Creates or changes one object of a schema. Errors, in this order: 717, 611, 333, the fault of the operation, 332 for a
 * schema that clients can only pull, or for a field of no class of it, 336 for different UUIDs. Then those of the
 * operation; see `writeOperation`.
 *
 * @param given the operation, or its fault: 338, 330 or 332
 */
export async function putSynced(
  context: PushContext,
  target: SyncTarget,
  given: GivenOperation<PutOperation> | ServiceError,
): Promise<SyncPutOutcome & { readonly object?: SyncObject }> {
  const { view, operation, uuid } = await accept(context, target, given, unknownField);
  const { outcome, object } = await executeOperation(context, view, { ...operation, uuid });
  const [shown] = object === null ? [] : await syncObjects(context, view, [object]);
  return { ...(outcome as SyncPutOutcome), ...(shown === undefined ? {} : { object: shown }) };
}

/**
 * Deletes one object of a schema. Errors: as `putSynced`.
 *
 * @param given the operation, or its fault: 338, 330 or 332
 */
export async function deleteSynced(
  context: PushContext,
  target: SyncTarget,
  given: GivenOperation<DeleteOperation> | ServiceError,
): Promise<SyncDeleteOutcome> {
  const { view, operation, uuid } = await accept(context, target, given);
  return (await executeOperation(context, view, { ...operation, uuid })).outcome;
}

async function accept<Operation>(
  context: PushContext,
  { schemaName, uuid }: SyncTarget,
  given: GivenOperation<Operation> | ServiceError,
  faultOf: (operation: Omit<Operation, "uuid">, view: SchemaView) => ServiceError | null = () => null,
): Promise<{ view: SchemaView; operation: Omit<Operation, "uuid">; uuid: string }> {
  const required = await context.services.syncSchemas.require(context, schemaName);
  if (given instanceof ServiceError) throw given;
  requirePush(required);
  const view = await schemaView(context, required);
  const fault = faultOf(given.operation, view);
  if (fault !== null) throw fault;
  return { operation: given.operation, uuid: operationUuid(given.uuid, uuid), view };
}
