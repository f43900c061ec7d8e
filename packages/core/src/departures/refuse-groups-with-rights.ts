import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Visibility } from "../rights/visibility.ts";

/**
 * 718 while the rights of a class, or of one of its attributes, name a group among objects that go. The model that they are looked up in has to be held: it keeps
 * others from giving rights to the group meanwhile. A class that the caller cannot read is not named.
 */
export function refuseGroupsWithRights(
  going: readonly Pick<StoredObject, "id" | "className">[],
  { model, visibility }: { readonly model: Model; readonly visibility: Visibility },
): void {
  const groups = new Set(
    going.filter(({ className }) => model.find("UserGroup")?.family.includes(className)).map(({ id }) => id),
  );
  if (groups.size === 0) return;
  const granting = Array.from(model.all(), ({ definition }) => definition).filter(
    ({ rights, attributes }) =>
      rights.some(({ group }) => groups.has(group)) ||
      attributes.some(({ read = [] }) => read.some((group) => groups.has(group))),
  );
  if (granting.length === 0) return;
  const named = granting.find(({ name }) => visibility.classes === null || visibility.classes.has(name));
  throw new ServiceError(718, {
    detail: `${named === undefined ? "A class" : `The class ${named.name}`} gives rights to a group that would go.`,
  });
}
