import {
  faultAt,
  type NewObject,
  type ObjectChange,
  type ObjectRepository,
  refusedAs,
  type ServiceError,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/storage";
import type { Model, ModelClass } from "../model/index.ts";
import type { RequestContext, SessionContext, Uses } from "../request/index.ts";
import { type AcceptedAttributes, acceptAttributes, type InputAttributes } from "./accept-attributes.ts";
import { type ResolvedAttributes, resolveAllLinks, resolveLinks, unlessRefused } from "./resolve-links.ts";
import { acceptFileAttributes, guardFileAttributes, isFileClass } from "./files/file-class.ts";
import { renameFile } from "./files/file-record.ts";
import {
  groupsAttribute,
  guardUserAttributes,
  isUserClass,
  renameAccount,
  type UserGuard,
  userName,
  UserNames,
} from "./user-names.ts";

type Writer = Pick<RequestContext, "r" | "unit" | "database">;

interface Changing extends Pick<Writer, "r" | "database">, Uses<{ readonly userGuard: UserGuard }> {}

/**
 * Creates one object and reserves the name of a user. 307 if it looks like another user's name. 713 if the storage refuses
 * the write.
 */
export function writeNew(context: Writer, object: NewObject, by: Writing, model: Model): Promise<StoredObject> {
  return refusedAs(713, insertNamed(context, object, by, model));
}

async function insertNamed(
  { r, unit, database }: Writer,
  object: NewObject,
  by: Writing,
  model: Model,
): Promise<StoredObject> {
  const { Name: name } = object.attributes;
  if (!isUserClass(model, object.className) || typeof name !== "string") return insert(r.objects, object, by);
  return unit.transaction(async ({ objects, records }) => {
    const created = await insert(objects, object, by);
    await new UserNames(records, database.digests).reserve({ id: created.id, name });
    return created;
  });
}

/**
 * Changes an object, and atomically the login name of a user or the name of a file. 307 if the name looks like another
 * user's, or if no administrator could log in without a group. 713 if the storage refuses the write.
 */
export function writeChange(
  context: Writer & Changing,
  change: ObjectChange,
  by: Writing & { readonly className: string },
  model: Model,
): Promise<StoredObject> {
  return refusedAs(713, updateNamed(context, change, by, model));
}

async function updateNamed(
  { r, unit, database, services }: Writer & Changing,
  change: ObjectChange,
  by: Writing & { readonly className: string },
  model: Model,
): Promise<StoredObject> {
  const { Name: name, MediaType: mediaType } = change.attributes;
  if (isFileClass(model, by.className) && (name !== undefined || mediaType !== undefined))
    return unit.transaction(async ({ objects, records }) => {
      const changed = await update(objects, change, by);
      await renameFile(records, change.id, change.attributes);
      return changed;
    });
  const regroups = setsGroups(change);
  if (!isUserClass(model, by.className) || (name === undefined && !regroups)) return update(r.objects, change, by);
  return unit.transaction(async (inside) => {
    const { objects, accounts, records } = inside;
    // Objects are locked before rules, as in deletions.
    if (regroups) await objects.lock([change.id]);
    const [changed] = (await updateUsers({ r: inside, database, services }, [change], by)) as [StoredObject];
    if (name === undefined) return changed;
    const text = typeof name === "string" ? name : null;
    if (text !== null) await renameAccount(accounts, change.id, text);
    await new UserNames(records, database.digests).rename(change.id, text);
    return changed;
  });
}

function setsGroups({ attributes, links }: ObjectChange): boolean {
  return Object.hasOwn(attributes, groupsAttribute) || Object.hasOwn(links, groupsAttribute);
}

/** Changes locked users in the transaction of `r`. 307 if no administrator could log in without a group that they lose. */
export async function updateUsers(
  { r, database, services }: Changing,
  changes: readonly ObjectChange[],
  by: Writing,
): Promise<readonly StoredObject[]> {
  const users = changes.filter(setsGroups).map(({ id }) => id);
  const change = () => r.objects.update(changes, by);
  if (users.length === 0) return change();
  const refusal = faultAt(`/${groupsAttribute}`, "The last administrator can log in as a member of this group only.");
  return services.userGuard.keep({ r, database }, { users, change, refusal });
}

async function insert(objects: ObjectRepository, object: NewObject, by: Writing): Promise<StoredObject> {
  const [created] = (await objects.insert([object], by)) as [StoredObject];
  return created;
}

async function update(objects: ObjectRepository, change: ObjectChange, by: Writing): Promise<StoredObject> {
  const [changed] = (await objects.update([change], by)) as [StoredObject];
  return changed;
}

export interface PreparedFor {
  readonly model: Model;
  readonly modelClass: ModelClass;
  readonly visibility: Visibility;
  /** `true` for a new object, `false` for a change. */
  readonly whole: boolean;
}

/**
 * Validates a body and resolves its links. 404: user attributes reserved to administrators, or file attributes reserved to
 * the service. 307: invalid attributes. 502: a file name that is not accepted.
 */
export async function prepareAttributes(
  context: Pick<SessionContext, "principal" | "r" | "database">,
  given: InputAttributes,
  { model, modelClass, visibility, whole }: PreparedFor,
): Promise<ResolvedAttributes> {
  const { r, database } = context;
  const accepted = acceptGiven(context, { given, modelClass, whole }, model);
  const { answerBytes, policy } = database;
  const resolved = await resolveLinks(accepted, { model, objects: r.objects, visibility, answerBytes });
  const { name: className } = modelClass.definition;
  if (isFileClass(model, className))
    return { ...resolved, attributes: acceptFileAttributes(resolved.attributes, policy.files) };
  const { Name: name } = resolved.attributes;
  return isUserClass(model, className) && typeof name === "string"
    ? { ...resolved, attributes: { ...resolved.attributes, Name: userName(name) } }
    : resolved;
}

export interface WriteInput extends Pick<PreparedFor, "modelClass" | "whole"> {
  readonly given: InputAttributes;
}

/** Like `prepareAttributes`, for many writes that are not of users or files, in one round trip. Each result can be an error. */
export async function prepareAllAttributes(
  context: Pick<SessionContext, "principal" | "r">,
  writes: readonly WriteInput[],
  { model, visibility }: Pick<PreparedFor, "model" | "visibility">,
): Promise<readonly (ResolvedAttributes | ServiceError)[]> {
  const accepted = writes.map((write) => unlessRefused(() => acceptGiven(context, write, model)));
  return resolveAllLinks(accepted, { model, objects: context.r.objects, visibility });
}

function acceptGiven(
  { principal }: Pick<SessionContext, "principal">,
  { given, modelClass, whole }: WriteInput,
  model: Model,
): AcceptedAttributes {
  const { name } = modelClass.definition;
  if (isFileClass(model, name)) guardFileAttributes(Object.keys(given));
  if (isUserClass(model, name)) guardUserAttributes(principal, Object.keys(given));
  return acceptAttributes(given, modelClass, { whole });
}
