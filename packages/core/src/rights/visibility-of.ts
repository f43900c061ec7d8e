import type { Permission } from "../model/class-definition.ts";
import type { Model, ModelClass } from "../model/model.ts";
import type { Principal } from "./principal.ts";
import { seesAll, type Visibility } from "./visibility.ts";

/** Whether the principal has the permission on the objects of a class, as far as the class decides it. */
export function mayOnClass(principal: Principal, modelClass: ModelClass, permission: Permission): boolean {
  if (principal.administrator) return true;
  return modelClass.definition.rights.some(
    (right) =>
      (right.group === "*" || principal.groups.includes(right.group)) && right.permissions.includes(permission),
  );
}

/** What the principal may see under this model. */
export function visibilityOf(principal: Principal, model: Model): Visibility {
  if (principal.administrator) return seesAll;
  const classes = new Set<string>();
  for (const modelClass of model.all()) {
    if (mayOnClass(principal, modelClass, "read")) classes.add(modelClass.definition.name);
  }
  return { classes, principals: new Set([principal.userId, ...principal.groups]) };
}
