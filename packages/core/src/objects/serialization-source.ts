import type { Model } from "../model/index.ts";
import type { RequestContext, StoreTime } from "../request/index.ts";
import type { ObjectRepository, Visibility } from "../storage/index.ts";
import type { AnswerExtension } from "./answer-extension.ts";

/** What answers are made from. */
export interface SerializationSource {
  readonly objects: Pick<ObjectRepository, "get" | "outlines">;
  readonly visibility: Visibility;
  readonly storeTime: StoreTime;
  /** Bytes that an answer may take, see `defaultAnswerBytes`. */
  readonly answerBytes: number;
  /** Who builds on it; nobody unless given. */
  readonly extension?: AnswerExtension;
}

/** What is known of the objects of a request. */
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
