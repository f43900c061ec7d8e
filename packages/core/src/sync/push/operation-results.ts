import {
  canonicalJson,
  type ErrorCode,
  type JsonValue,
  type ObjectId,
  type RecordKind,
  refusedAs,
  ServiceError,
} from "@sallyport/storage";
import { namedObjects } from "../../objects/index.ts";
import { type StoredResult, storedError, storedResult } from "../../repetition/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { SchemaView } from "../schema-view.ts";
import { syncFailure } from "../sync-failure.ts";
import type { SyncConflict, SyncDeleteOutcome, SyncPutOutcome, SyncOperation } from "./sync-operation.ts";

/** An operation of a push. */
export interface PushedOperation {
  /** Chosen by the client, unique for the user and the device. */
  readonly id: string;
  readonly uuid: string;
  /** The operation, or what is wrong with it. */
  readonly operation: SyncOperation | ServiceError;
}

/** The final result of an operation. */
export interface OperationResult {
  readonly uuid: string;
  /** `null` for a success. */
  readonly error: ServiceError | null;
  /** Of a success, and of a refused conflict. */
  readonly outcome: SyncPutOutcome | SyncDeleteOutcome | null;
}

/** Results of operations, by the digest of user, device and operation id. */
export const syncOperationKind: RecordKind<StoredResult> = "syncOperation";

/** A deletion by a client, by the UUID of the object. */
export interface SyncDeletion {
  readonly schema: string;
  readonly userId: ObjectId;
  readonly deviceId: string | null;
  /** Version of the tombstone. */
  readonly version: number;
}

export const syncDeletionKind: RecordKind<SyncDeletion> = "syncDeletion";

const codes = new WeakMap<object, ErrorCode>();

/** Notes the code of a failure of this call. A transaction needs the original error. */
export async function failingAs<T>(code: ErrorCode, call: Promise<T>): Promise<T> {
  try {
    return await refusedAs(code, call);
  } catch (error) {
    if (typeof error === "object" && error !== null) codes.set(error, code);
    throw error;
  }
}

/** The error of a transaction, under the code that was noted. */
export function noted(error: unknown): unknown {
  const code = typeof error === "object" && error !== null ? codes.get(error) : undefined;
  return code === undefined ? error : syncFailure(code, error);
}

/** Another request has executed the same operation at the same time. */
export class RepeatedOperationError extends Error {}

type Caller = Pick<SessionContext, "r" | "session" | "database" | "principal">;

/** The results of the operations of one user on one device. */
export class OperationResults {
  private readonly ids = new Map<PushedOperation, string>();
  private readonly owner: string;

  constructor(
    private readonly caller: Caller,
    private readonly view: Pick<SchemaView, "model" | "visibility">,
  ) {
    const { principal, session } = caller;
    this.owner = caller.database.digests.sha256(JSON.stringify([principal.userId, session.deviceId]));
  }

  /**
   * The stored results, by operation. 332 if another operation had the id. Conflicts lack the server's values that the
   * caller cannot read any more.
   */
  async find(operations: readonly PushedOperation[]): Promise<Map<PushedOperation, OperationResult>> {
    const stored = await this.caller.r.records.get(
      syncOperationKind,
      operations.map((each) => this.idOf(each)),
    );
    const byId = new Map(stored.map(({ id, value }) => [id, value]));
    const found = new Map<PushedOperation, OperationResult>();
    for (const each of operations) {
      const known = byId.get(this.idOf(each));
      if (known !== undefined) found.set(each, this.resultOf(each, known));
    }
    return this.readable(found);
  }

  private async readable(found: Map<PushedOperation, OperationResult>): Promise<Map<PushedOperation, OperationResult>> {
    const conflicting = [...found].flatMap(([operation, result]) => {
      const { outcome } = result;
      return outcome === null || !("conflicts" in outcome) || outcome.conflicts.length === 0
        ? []
        : [{ operation, result, outcome }];
    });
    if (conflicting.length === 0) return found;
    const theirs = conflicting.flatMap(({ outcome }) => outcome.conflicts.map((conflict) => conflict.theirs ?? null));
    const named = {
      ids: conflicting.map(({ outcome }) => outcome.objectId),
      uuids: [...new Set(theirs.flatMap((value) => [value].flat()).flatMap((value) => linkedUuid(value) ?? []))],
    };
    const { model, visibility } = this.view;
    const visible = await namedObjects(named, { model, objects: this.caller.r.objects, visibility });
    const [ids, uuids] = [new Set(visible.map(({ id }) => id)), new Set(visible.map(({ uuid }) => uuid))];
    const isShown = (value: JsonValue): boolean => {
      const uuid = linkedUuid(value);
      return uuid === null || uuids.has(uuid);
    };
    for (const { operation, result, outcome } of conflicting) {
      const conflicts = outcome.conflicts.map(({ theirs: value = null, ...conflict }): SyncConflict => {
        if (!ids.has(outcome.objectId)) return conflict;
        if (Array.isArray(value)) return { ...conflict, theirs: value.filter(isShown) };
        return { ...conflict, theirs: isShown(value) ? value : null };
      });
      found.set(operation, { ...result, outcome: { ...outcome, conflicts } });
    }
    return found;
  }

  /**
   * Stores a result in the transaction of its operation. `RepeatedOperationError` if it has one already. A failure of
   * storage is 719 for a deletion, else 714; see `failingAs`.
   */
  async keep({ records }: Caller["r"], operation: PushedOperation, result: OperationResult): Promise<void> {
    const { error, outcome } = result;
    const kept = storedResult(this.contentsOf(operation), error, outcome as unknown as JsonValue);
    const options = { owner: this.owner, ifVersion: "none" } as const;
    const isDeletion = !(operation.operation instanceof ServiceError) && operation.operation.op === "delete";
    const putting = records.put(syncOperationKind, this.idOf(operation), kept, options);
    if ((await failingAs(isDeletion ? 719 : 714, putting)) !== "stored")
      throw new RepeatedOperationError("The operation was executed at the same time.");
  }

  private resultOf(operation: PushedOperation, kept: StoredResult): OperationResult {
    const { uuid } = operation;
    if (kept.contents !== this.contentsOf(operation)) {
      const error = new ServiceError(332, { detail: "The operation id was used for another operation." });
      return { uuid, error, outcome: null };
    }
    return { uuid, error: storedError(kept), outcome: kept.outcome as unknown as OperationResult["outcome"] };
  }

  private idOf(operation: PushedOperation): string {
    const known = this.ids.get(operation);
    if (known !== undefined) return known;
    const id = this.caller.database.digests.sha256(`${this.owner} ${operation.id}`);
    this.ids.set(operation, id);
    return id;
  }

  private contentsOf({ operation }: PushedOperation): string {
    const contents = operation instanceof ServiceError ? operation.code : { ...operation };
    return this.caller.database.digests.sha256(canonicalJson(contents as unknown as JsonValue));
  }
}

/** The UUID of a link in the form of an answer; `null` for any other value. */
function linkedUuid(value: JsonValue): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { "~UUID": uuid, ...others } = value as Readonly<Record<string, JsonValue>>;
  return typeof uuid === "string" && Object.keys(others).length === 0 ? uuid : null;
}

/** Whether a repetition would be refused as well, so that the refusal is final. */
export function isFinal({ status, code }: ServiceError): boolean {
  return status < 500 && code !== 699 && code !== 800;
}
