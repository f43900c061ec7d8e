import { isUserClass } from "../accounts/user-attributes.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Principal } from "../rights/principal.ts";

/** 404 when others than administrators delete users, whatever the rights on the class: whoever has those could remove administrators. */
export function guardUsers(
  going: readonly Pick<StoredObject, "className">[],
  { model, principal }: { readonly model: Model; readonly principal: Principal },
): void {
  if (!principal.administrator && going.some(({ className }) => isUserClass(model, className)))
    throw new ServiceError(404);
}
