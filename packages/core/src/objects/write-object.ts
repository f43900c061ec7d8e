import { isUserClass, renameAccount, UserNames } from "../accounts/index.ts";
import type { Model } from "../model/model.ts";
import type { RequestContext } from "../request/request-context.ts";
import type { ObjectChange, Writing } from "./object-change.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { NewObject, StoredObject } from "./stored-object.ts";

type Writer = Pick<RequestContext, "r" | "unit" | "database">;

/** Creates one object. A user reserves its name: 307 if that looks like the name of another user. */
export async function writeNew(
  { r, unit, database }: Writer,
  object: NewObject,
  by: Writing,
  model: Model,
): Promise<StoredObject> {
  const { Name: name } = object.attributes;
  if (!isUserClass(model, object.className) || typeof name !== "string") return insert(r.objects, object, by);
  return unit.transaction(async ({ objects, oneTime }) => {
    const created = await insert(objects, object, by);
    await new UserNames(oneTime, database.digests).reserve({ id: created.id, name });
    return created;
  });
}

/**
 * Changes one object of the class that `by` names. A user logs in by the name of the user object: both change together, or neither. 307 if the
 * name looks like the name of another user.
 */
export async function writeChange(
  { r, unit, database }: Writer,
  change: ObjectChange,
  by: Writing & { readonly className: string },
  model: Model,
): Promise<StoredObject> {
  const { Name: name } = change.attributes;
  if (!isUserClass(model, by.className) || name === undefined) return update(r.objects, change, by);
  return unit.transaction(async ({ objects, accounts, oneTime }) => {
    const changed = await update(objects, change, by);
    const text = typeof name === "string" ? name : null;
    if (text !== null) await renameAccount(accounts, change.id, text);
    await new UserNames(oneTime, database.digests).rename(change.id, text);
    return changed;
  });
}

async function insert(objects: ObjectRepository, object: NewObject, by: Writing): Promise<StoredObject> {
  const [created] = (await objects.insert([object], by)) as [StoredObject];
  return created;
}

async function update(objects: ObjectRepository, change: ObjectChange, by: Writing): Promise<StoredObject> {
  const [changed] = (await objects.update([change], by)) as [StoredObject];
  return changed;
}
