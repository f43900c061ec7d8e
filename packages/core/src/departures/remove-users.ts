import { isUserClass } from "../accounts/user-attributes.ts";
import { UserNames } from "../accounts/user-names.ts";
import type { Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Principal } from "../rights/principal.ts";
import type { Repositories } from "../storage/repositories.ts";

/**
 * Removes the accounts of the users among objects that go, ends their sessions and frees their names; 718 when the caller is one of them, or when no
 * administrator would be left.
 */
export async function removeUsers(
  { accounts, sessions, oneTime }: Pick<Repositories, "accounts" | "sessions" | "oneTime">,
  going: readonly Pick<StoredObject, "id" | "className">[],
  { model, principal, digests }: { readonly model: Model; readonly principal: Principal; readonly digests: Digests },
): Promise<void> {
  const users = going.filter(({ className }) => isUserClass(model, className)).map(({ id }) => id);
  if (users.length === 0) return;
  if (users.includes(principal.userId)) throw new ServiceError(718, { detail: "Nobody deletes himself." });
  if ((await accounts.remove(users)) === "lastAdministrator")
    throw new ServiceError(718, { detail: "The last administrator cannot be deleted." });
  for (const userId of users) await sessions.end({ userId });
  await new UserNames(oneTime, digests).release(users);
}
