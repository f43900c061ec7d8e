import { isUserClass } from "../accounts/user-attributes.ts";
import { UserNames } from "../accounts/user-names.ts";
import type { Digests } from "../digests/digests.ts";
import type { Model } from "../model/model.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { Restoration } from "./restoration.ts";

/** Brings objects back, in the transaction that holds them. Users reserve their names again: 307 if one looks like the name of another user by now. */
export async function restoreThose(
  { departures, oneTime }: Pick<Repositories, "departures" | "oneTime">,
  restorations: readonly Restoration[],
  { model, digests }: { readonly model: Model; readonly digests: Digests },
): Promise<readonly StoredObject[]> {
  const restored = await departures.restore(restorations);
  const names = new UserNames(oneTime, digests);
  for (const { id, className, attributes } of restored) {
    const { Name: name } = attributes;
    if (isUserClass(model, className) && typeof name === "string") await names.rename(id, name);
  }
  return restored;
}
