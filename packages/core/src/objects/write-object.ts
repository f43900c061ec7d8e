import {
  faultAt,
  type NewObject,
  type ObjectChange,
  type ObjectRepository,
  refusedAs,
  type StoredObject,
  type Writing,
} from "@sallyport/storage";
import type { Model } from "../model/index.ts";
import type { RequestContext, Uses } from "../request/index.ts";
import { isFileClass } from "./files/file-class.ts";
import { describeFile } from "./files/file-record.ts";
import { groupsAttribute, isUserClass, renameAccount, type UserGuard, UserNames } from "./user-names.ts";

type WriteContext = Pick<RequestContext, "r" | "unit" | "database">;

interface ChangeContext extends WriteContext, Uses<{ readonly userGuard: UserGuard }> {}

/** A write of objects of one class. */
export interface WritingOfClass extends Writing {
  readonly className: string;
}

/**
 * Creates one object and reserves the name of a user. 307 if it looks like another user's name. 713 if the storage refuses
 * the write.
 */
export function writeNew(context: WriteContext, object: NewObject, by: Writing, model: Model): Promise<StoredObject> {
  const { Name: name } = object.attributes;
  const isNamedUser = isUserClass(model, object.className) && typeof name === "string";
  return refusedAs(713, isNamedUser ? insertUser(context, object, name, by) : insertOne(context.r.objects, object, by));
}

function insertUser(
  { unit, database }: WriteContext,
  object: NewObject,
  name: string,
  by: Writing,
): Promise<StoredObject> {
  return unit.transaction(async ({ objects, records }) => {
    const created = await insertOne(objects, object, by);
    await new UserNames(records, database.digests).reserve({ id: created.id, name });
    return created;
  });
}

/**
 * Changes an object, and atomically the login name of a user or the name of a file. 307 if the name looks like another
 * user's, or if no administrator could log in without a group. 713 if the storage refuses the write.
 */
export function writeChange(
  context: ChangeContext,
  change: ObjectChange,
  by: WritingOfClass,
  model: Model,
): Promise<StoredObject> {
  return refusedAs(713, updateByClass(context, change, by, model));
}

function updateByClass(
  context: ChangeContext,
  change: ObjectChange,
  by: WritingOfClass,
  model: Model,
): Promise<StoredObject> {
  const { Name: name, MediaType: mediaType } = change.attributes;
  if (isFileClass(model, by.className) && (name !== undefined || mediaType !== undefined))
    return updateFile(context, change, by);
  if (isUserClass(model, by.className) && (name !== undefined || setsGroups(change)))
    return updateUser(context, change, by);
  return updateOne(context.r.objects, change, by);
}

function updateFile({ unit }: WriteContext, change: ObjectChange, by: Writing): Promise<StoredObject> {
  return unit.transaction(async ({ objects, records }) => {
    const changed = await updateOne(objects, change, by);
    await describeFile(records, change.id, change.attributes);
    return changed;
  });
}

function updateUser(
  { unit, database, services }: ChangeContext,
  change: ObjectChange,
  by: Writing,
): Promise<StoredObject> {
  return unit.transaction(async (r) => {
    // Objects are locked before rules, as in deletions.
    if (setsGroups(change)) await r.objects.lock([change.id]);
    const [changed] = (await updateUsers({ r, database, services }, [change], by)) as [StoredObject];
    const { Name: name } = change.attributes;
    if (name === undefined) return changed;
    const text = typeof name === "string" ? name : null;
    if (text !== null) await renameAccount(r.accounts, change.id, text);
    await new UserNames(r.records, database.digests).rename(change.id, text);
    return changed;
  });
}

/**
 * Changes users. The caller has locked their objects, and `r` is its transaction. 307 if no administrator could log in
 * without a group that they lose.
 */
export async function updateUsers(
  { r, database, services }: Omit<ChangeContext, "unit">,
  changes: readonly ObjectChange[],
  by: Writing,
): Promise<readonly StoredObject[]> {
  const users = changes.filter(setsGroups).map(({ id }) => id);
  const change = () => r.objects.update(changes, by);
  if (users.length === 0) return change();
  const refusal = faultAt(`/${groupsAttribute}`, "The last administrator can log in as a member of this group only.");
  return services.userGuard.keepAdministrator({ r, database }, { users, change, refusal });
}

function setsGroups({ attributes, links }: ObjectChange): boolean {
  return Object.hasOwn(attributes, groupsAttribute) || Object.hasOwn(links, groupsAttribute);
}

async function insertOne(objects: ObjectRepository, object: NewObject, by: Writing): Promise<StoredObject> {
  const [created] = (await objects.insert([object], by)) as [StoredObject];
  return created;
}

async function updateOne(objects: ObjectRepository, change: ObjectChange, by: Writing): Promise<StoredObject> {
  const [changed] = (await objects.update([change], by)) as [StoredObject];
  return changed;
}
