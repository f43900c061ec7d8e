import {
  type AttributeDefinition,
  type Permission,
  type Principal,
  seesAll,
  type Visibility,
} from "../storage/index.ts";
import { type Model, type ModelClass, targetFamily } from "./model.ts";

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
  return { classes: readableClasses(principal, model), principals: new Set([principal.userId, ...principal.groups]) };
}

const maximumRemembered = 1_000;
const remembered = new WeakMap<Model, Map<string, ReadonlySet<string>>>();

/** The names of the classes that members of these groups may read; worked out once per model. */
function readableClasses(principal: Principal, model: Model): ReadonlySet<string> {
  const byGroups = remembered.get(model) ?? new Map<string, ReadonlySet<string>>();
  remembered.set(model, byGroups);
  const key = principal.groups.join(" ");
  let classes = byGroups.get(key);
  if (classes === undefined) {
    const readable = [...model.all()].filter((modelClass) => mayOnClass(principal, modelClass, "read"));
    classes = new Set(readable.map(({ definition }) => definition.name));
    if (byGroups.size >= maximumRemembered) byGroups.clear();
    byGroups.set(key, classes);
  }
  return classes;
}

/** The class and the classes below it, as far as objects of them can be visible. None if there is no such class. */
export function readableFamily(model: Model, className: string, { classes }: Visibility): ModelClass[] {
  const family = model.find(className)?.family ?? [];
  return family.flatMap((name) => (classes === null || classes.has(name) ? (model.find(name) ?? []) : []));
}

/** The classes that a link can lead to, as far as objects of them can be visible. */
export function readableTargets(attribute: AttributeDefinition, model: Model, visibility: Visibility): ModelClass[] {
  const names = targetFamily(attribute, model) ?? Array.from(model.all(), ({ definition }) => definition.name);
  return [...new Set(names.flatMap((each) => readableFamily(model, each, visibility)))];
}
