import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { Principal } from "../rights/principal.ts";

/** Attributes of `User` that decide what somebody may do, or as whom. */
const guarded: readonly string[] = ["Name", "Groups"];

/** Whether objects of the class are users. */
export function isUserClass(model: Model, className: string): boolean {
  return model.find("User")?.family.includes(className) ?? false;
}

/** 404 when somebody else than an administrator gives a user another name or other groups. */
export function guardUserAttributes({ administrator }: Principal, names: Iterable<string>): void {
  if (administrator) return;
  for (const name of names) {
    if (guarded.includes(name)) throw new ServiceError(404, { detail: `Only administrators write ${name} of a user.` });
  }
}
