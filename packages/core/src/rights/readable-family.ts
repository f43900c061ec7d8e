import type { Model, ModelClass } from "../model/model.ts";
import type { Visibility } from "./visibility.ts";

/** The class and the classes below it, as far as objects of them can be visible. None if there is no such class. */
export function readableFamily(model: Model, className: string, { classes }: Visibility): ModelClass[] {
  const family = model.find(className)?.family ?? [];
  return family.flatMap((name) => (classes === null || classes.has(name) ? (model.find(name) ?? []) : []));
}
