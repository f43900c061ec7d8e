import { ServiceError } from "@sallyport/storage";
import type { SessionContext } from "../../request/index.ts";
import type { ExecuteOperations } from "./execute-operations.ts";
import { type SchemaView, schemaView } from "../schema-view.ts";
import { unknownField } from "./plan-put.ts";
import {
  type DeleteOperation,
  type SyncDeleteOutcome,
  operationUuid,
  type PutOperation,
  type SyncPutOutcome,
} from "./sync-operation.ts";
import type { RequiredSchema, SyncSchemas } from "../sync-schemas.ts";
import { type SyncObject, syncObjects } from "../sync-objects.ts";

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
 * Writes one object of a schema. Errors, in this order: 717, 611, 333, the fault of the operation, 332 for a schema that
 * clients can only pull, or for a field of no class of it, 336 for different UUIDs. Then those of the operation; see
 * `OperationWriter.write`.
 */
export class WriteSynced {
  constructor(
    private readonly schemas: SyncSchemas,
    private readonly operations: Pick<ExecuteOperations, "executeOne">,
  ) {}

  /** @param given the operation, or its fault: 338, 330 or 332 */
  async put(
    context: SessionContext,
    target: SyncTarget,
    given: GivenOperation<PutOperation> | ServiceError,
  ): Promise<SyncPutOutcome & { readonly object?: SyncObject }> {
    const { view, operation, uuid } = await this.accept(context, target, given, unknownField);
    const { outcome, object } = await this.operations.executeOne(context, view, { ...operation, uuid });
    const [shown] = object === null ? [] : await syncObjects(context, view, [object]);
    return { ...(outcome as SyncPutOutcome), ...(shown === undefined ? {} : { object: shown }) };
  }

  /** @param given the operation, or its fault: 338, 330 or 332 */
  async delete(
    context: SessionContext,
    target: SyncTarget,
    given: GivenOperation<DeleteOperation> | ServiceError,
  ): Promise<SyncDeleteOutcome> {
    const { view, operation, uuid } = await this.accept(context, target, given);
    return (await this.operations.executeOne(context, view, { ...operation, uuid })).outcome;
  }

  private async accept<Operation>(
    context: SessionContext,
    { schemaName, uuid }: SyncTarget,
    given: GivenOperation<Operation> | ServiceError,
    faultOf: (operation: Omit<Operation, "uuid">, view: SchemaView) => ServiceError | null = () => null,
  ): Promise<{ view: SchemaView; operation: Omit<Operation, "uuid">; uuid: string }> {
    const required = await this.schemas.require(context, schemaName);
    if (given instanceof ServiceError) throw given;
    requirePush(required);
    const view = await schemaView(context, required);
    const fault = faultOf(given.operation, view);
    if (fault !== null) throw fault;
    return { operation: given.operation, uuid: operationUuid(given.uuid, uuid), view };
  }
}

/** 332 for a schema that clients can only pull. */
export function requirePush({ schema }: RequiredSchema): void {
  if (schema.direction === "pull") throw new ServiceError(332, { detail: "Objects of the schema can only be pulled." });
}
