import { type ObjectRepository, ServiceError, type StoredObject, type VisibleRead } from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import type { StoreTime } from "../../request/index.ts";

/** What the serialization of objects reads from, and the limits of its answer. */
export interface SerializationSource {
  readonly objects: Pick<ObjectRepository, "get" | "outlines">;
  readonly visibility: VisibleRead;
  readonly storeTime: StoreTime;
  /** Byte limit of an answer; see `defaultAnswerBytes`. */
  readonly answerBytes: number;
  /** Extends the answer; none by default. */
  readonly extension?: AnswerExtension;
}

/** The model of a request, and what its user can read of it. */
export interface ReadScope {
  readonly model: Model;
  readonly visibility: VisibleRead;
}

/** A stored object with its serialized form. */
export interface WrittenObject {
  readonly object: StoredObject;
  readonly output: Record<string, unknown>;
  /** Upper bound of the JSON size of the output, including nested objects. */
  readonly bytes: number;
}

/** Hooks that add members to the objects of an answer. */
export interface AnswerExtension {
  /** Loads the hooks. Returns whether there are any. Call it before the other methods. */
  begin(): Promise<boolean>;
  /** Whether a hook extends the objects of this class. */
  concerns(className: string): boolean;
  /** Extends the outputs. Returns an upper bound of the added bytes. `AnswerExtensionError` if a hook refuses. */
  complete(written: readonly WrittenObject[]): Promise<number>;
  /** Logs an error that the caller does not see. */
  ignore(error: ServiceError): void;
}

/** A hook refused the answer. Has the code of its cause. */
export class AnswerExtensionError extends ServiceError {
  constructor(cause: ServiceError) {
    super(cause.code, { cause, ...(cause.detail === undefined ? {} : { detail: cause.detail }) });
  }
}
