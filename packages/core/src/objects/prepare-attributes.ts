import { guardUserAttributes, isUserClass, userName } from "../accounts/index.ts";
import type { Model, ModelClass } from "../model/model.ts";
import type { SessionContext } from "../request/request-context.ts";
import type { Visibility } from "../rights/visibility.ts";
import { acceptAttributes, type GivenAttributes } from "./values/accept-attributes.ts";
import { type ResolvedAttributes, resolveLinks } from "./values/resolve-links.ts";

/** Of which class the attributes are, and what the caller sees. */
export interface PreparedFor {
  readonly model: Model;
  readonly modelClass: ModelClass;
  readonly visibility: Visibility;
  /** Whether they are those of a new object, or some that change. */
  readonly whole: boolean;
}

/** Makes of a body what can be stored. Attributes of users that only administrators write: 404; what is none of the class: 307. */
export async function prepareAttributes(
  { principal, r, database }: Pick<SessionContext, "principal" | "r" | "database">,
  given: GivenAttributes,
  { model, modelClass, visibility, whole }: PreparedFor,
): Promise<ResolvedAttributes> {
  const isUser = isUserClass(model, modelClass.definition.name);
  if (isUser) guardUserAttributes(principal, Object.keys(given));
  const accepted = acceptAttributes(given, modelClass, { whole });
  const resolved = await resolveLinks(accepted, {
    model,
    objects: r.objects,
    visibility,
    answerBytes: database.answerBytes,
  });
  const { Name: name } = resolved.attributes;
  return isUser && typeof name === "string"
    ? { ...resolved, attributes: { ...resolved.attributes, Name: userName(name) } }
    : resolved;
}
