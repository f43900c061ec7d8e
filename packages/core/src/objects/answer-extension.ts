import { ServiceError } from "../errors/index.ts";
import type { StoredObject } from "../storage/index.ts";

/** An object, and what is written of it. */
export interface WrittenObject {
  readonly object: StoredObject;
  readonly output: Record<string, unknown>;
  /** What the output takes as JSON, with all that stands in it; at most. */
  readonly bytes: number;
}

/** Who builds on what is written of objects. */
export interface AnswerExtension {
  /** Whether there is anybody. To be asked before the rest. */
  begin(): Promise<boolean>;
  /** Whether objects of a class are to be completed. */
  concerns(className: string): boolean;
  /** Changes the outputs, and gives how many bytes they take more, at most. An `AnswerExtensionError` if they are refused. */
  complete(written: readonly WrittenObject[]): Promise<number>;
  /** Takes note of an error that the caller is not told. */
  ignore(error: ServiceError): void;
}

/** Who builds on an answer did not let it be written; with the code of the failure that is its cause. */
export class AnswerExtensionError extends ServiceError {
  constructor(cause: ServiceError) {
    super(cause.code, { cause, ...(cause.detail === undefined ? {} : { detail: cause.detail }) });
  }
}
