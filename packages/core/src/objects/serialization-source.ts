import type { Model } from "../model/model.ts";
import type { RequestContext } from "../request/request-context.ts";
import type { Visibility } from "../rights/visibility.ts";
import type { AnswerExtension } from "./answer-extension.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { StoreTime } from "./store-time.ts";

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
