import { isUserClass, renameAccount } from "../accounts/index.ts";
import type { Model } from "../model/model.ts";
import type { RequestContext } from "../request/request-context.ts";
import type { ObjectChange, Writing } from "./object-change.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { StoredObject } from "./stored-object.ts";

/** Changes one object of the class that `by` names. A user logs in by the name of the user object: both change together, or neither. */
export async function writeChange({ r, unit }: Pick<RequestContext, "r" | "unit">, change: ObjectChange, by: Writing & { readonly className: string }, model: Model): Promise<StoredObject> {
  const { Name: name } = change.attributes;
  if (!isUserClass(model, by.className) || typeof name !== "string") return write(r.objects, change, by);
  return unit.transaction(async ({ objects, accounts }) => {
    const changed = await write(objects, change, by);
    await renameAccount(accounts, change.id, name);
    return changed;
  });
}

async function write(objects: ObjectRepository, change: ObjectChange, by: Writing): Promise<StoredObject> {
  const [changed] = (await objects.update([change], by)) as [StoredObject];
  return changed;
}
