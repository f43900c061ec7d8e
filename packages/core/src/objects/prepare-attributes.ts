import type { Principal, ServiceError, Visibility } from "@sallyport/storage";
import type { Model, ModelClass } from "../model/index.ts";
import type { SessionContext } from "../request/index.ts";
import { type AcceptedAttributes, acceptAttributes, type InputAttributes } from "./attributes/accept-attributes.ts";
import { type ResolvedAttributes, resolveAllLinks, resolveLinks, unlessRefused } from "./attributes/resolve-links.ts";
import { acceptFileAttributes, guardFileAttributes, isFileClass } from "./files/file-class.ts";
import { guardUserAttributes, isUserClass, userName } from "./user-names.ts";

/** What attributes are prepared for. */
export interface PreparationTarget {
  readonly model: Model;
  readonly modelClass: ModelClass;
  readonly visibility: Visibility;
  /** Whether the attributes are those of a whole object, so that no mandatory one may be missing. */
  readonly isComplete: boolean;
}

/**
 * Validates the attributes that a caller or a hook gives, and resolves their links. 404: user attributes reserved to
 * administrators, or file attributes reserved to the service. 307: invalid attributes. 502: a file name that is not accepted.
 */
export async function prepareAttributes(
  {
    principal,
    r: { objects },
    database: { answerBytes, policy },
  }: Pick<SessionContext, "principal" | "r" | "database">,
  input: InputAttributes,
  { model, modelClass, visibility, isComplete }: PreparationTarget,
): Promise<ResolvedAttributes> {
  const accepted = acceptFromCaller(principal, { input, modelClass, isComplete }, model);
  const resolved = await resolveLinks(accepted, { model, objects, visibility, answerBytes });
  const { name: className } = modelClass.definition;
  if (isFileClass(model, className))
    return { ...resolved, attributes: acceptFileAttributes(resolved.attributes, policy.files) };
  const { Name: name } = resolved.attributes;
  return isUserClass(model, className) && typeof name === "string"
    ? { ...resolved, attributes: { ...resolved.attributes, Name: userName(name) } }
    : resolved;
}

interface AttributesToPrepare extends Pick<PreparationTarget, "modelClass" | "isComplete"> {
  readonly input: InputAttributes;
}

/** Like `prepareAttributes`, for many objects that are not users or files, in one round trip. Each result can be an error. */
export async function prepareAllAttributes(
  { principal, r: { objects } }: Pick<SessionContext, "principal" | "r">,
  all: readonly AttributesToPrepare[],
  { model, visibility }: Pick<PreparationTarget, "model" | "visibility">,
): Promise<readonly (ResolvedAttributes | ServiceError)[]> {
  const accepted = all.map((each) => unlessRefused(() => acceptFromCaller(principal, each, model)));
  return resolveAllLinks(accepted, { model, objects, visibility });
}

function acceptFromCaller(
  principal: Principal,
  { input, modelClass, isComplete }: AttributesToPrepare,
  model: Model,
): AcceptedAttributes {
  const { name: className } = modelClass.definition;
  if (isFileClass(model, className)) guardFileAttributes(Object.keys(input));
  if (isUserClass(model, className)) guardUserAttributes(principal, Object.keys(input));
  return acceptAttributes(input, modelClass, { isComplete });
}
