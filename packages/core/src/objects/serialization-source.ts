import { ServiceError } from "../errors/index.ts";
import type { Model } from "../model/index.ts";
import type { RequestContext, StoreTime } from "../request/index.ts";
import type { ObjectRepository, StoredObject, Visibility } from "../storage/index.ts";

export interface SerializationSource {
  readonly objects: Pick<ObjectRepository, "get" | "outlines">;
  readonly visibility: Visibility;
  readonly storeTime: StoreTime;
  /** Bytes that an answer may take, see `defaultAnswerBytes`. */
  readonly answerBytes: number;
  /** Who builds on it; nobody unless given. */
  readonly extension?: AnswerExtension;
}

export interface Sight {
  readonly model: Model;
  readonly visibility: Visibility;
}

/** That of a request. */
export function serializationSource(
  { r, database }: Pick<RequestContext, "r" | "database">,
  visibility: Visibility,
): SerializationSource {
  return { objects: r.objects, visibility, storeTime: database.storeTime, answerBytes: database.answerBytes };
}

export interface WrittenObject {
  readonly object: StoredObject;
  readonly output: Record<string, unknown>;
  /** What the output takes as JSON, with all that stands in it; at most. */
  readonly bytes: number;
}

export interface AnswerExtension {
  /** Whether there is anybody. To be asked before the rest. */
  begin(): Promise<boolean>;
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
