import type { AttributeDefinition } from "../model/class-definition.ts";
import type { Model, ModelClass } from "../model/model.ts";
import { targetFamily } from "../model/target-family.ts";
import { readableFamily } from "./readable-family.ts";
import type { Visibility } from "./visibility.ts";

/** The classes that a link can lead to, as far as objects of them can be visible. */
export function readableTargets(attribute: AttributeDefinition, model: Model, visibility: Visibility): ModelClass[] {
  const names = targetFamily(attribute, model) ?? Array.from(model.all(), ({ definition }) => definition.name);
  return [...new Set(names.flatMap((each) => readableFamily(model, each, visibility)))];
}
