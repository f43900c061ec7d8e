import { isUuid, type JsonValue, type ObjectId, ServiceError, type StoredObject } from "@sallyport/storage";
import type { InputAttributes } from "../../objects/index.ts";
import type { RequiredSchema } from "../sync-schemas.ts";

/** A new object or a change, made by a client that may be behind. */
export interface PutChange {
  readonly op: "put";
  /** Lower case. */
  readonly uuid: string;
  /** The version that the client last saw; 0 for a new object. */
  readonly version: number;
  /** The class of a new object. */
  readonly className: string | undefined;
  readonly fields: InputAttributes;
  /** Values of fields as the client last saw them. */
  readonly base: InputAttributes;
}

export interface DeleteChange {
  readonly op: "delete";
  /** Lower case. */
  readonly uuid: string;
}

export type DeviceChange = PutChange | DeleteChange;

/** A field that client and server have both changed. */
export interface SyncConflict {
  readonly field: string;
  /** The value of the server, in the form of an answer. Absent if the answer would be too large. */
  readonly theirs?: JsonValue;
  readonly kept: "mine" | "theirs" | "macro";
}

export interface SyncPutOutcome {
  readonly uuid: string;
  readonly objectId: ObjectId;
  /** The new version, or the current one if there was nothing to do. */
  readonly version: number;
  /** Fields that the server had changed, too. */
  readonly merged: readonly string[];
  readonly conflicts: readonly SyncConflict[];
}

export interface SyncDeleteOutcome {
  readonly uuid: string;
  /** Version of the tombstone. */
  readonly version: number;
}

/** A result, with the object if the client cannot compute it. */
export interface WrittenChange<Outcome = SyncPutOutcome | SyncDeleteOutcome> {
  readonly outcome: Outcome;
  readonly object: StoredObject | null;
}

/** 332: client and server have both changed a field, and the schema refuses that. */
export class SyncConflictError extends ServiceError {
  constructor(
    /** The stored object, which stays as it is. */
    readonly object: StoredObject,
    readonly outcome: SyncPutOutcome,
  ) {
    super(332, { detail: "The client and the server have changed the same fields." });
  }
}

/** The UUID of a change. 332 if it is none, 336 if it is not the one of the path. */
export function changeUuid(input: string | undefined, path?: string): string {
  for (const text of [input, path])
    if (text !== undefined && !isUuid(text)) throw new ServiceError(332, { detail: "at /uuid: A UUID is expected." });
  const uuid = (path ?? input)?.toLowerCase();
  if (uuid === undefined) throw new ServiceError(332, { detail: "at /uuid: A UUID is expected." });
  if (input !== undefined && input.toLowerCase() !== uuid) throw new ServiceError(336);
  return uuid;
}

/** 332 for a schema that clients can only pull. */
export function requirePush({ schema }: RequiredSchema): void {
  if (schema.direction === "pull") throw new ServiceError(332, { detail: "Objects of the schema can only be pulled." });
}

/** 332 at a field. */
export function fieldFault(name: string, reason: string): ServiceError {
  // The name is client input.
  const printable = name.slice(0, 64).replaceAll(/[^\x20-\x7e]/g, "?");
  return new ServiceError(332, { detail: `at /fields/${printable}: ${reason}` });
}
