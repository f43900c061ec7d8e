import type { AttributeDefinition } from "./class-definition.ts";
import type { Model } from "./model.ts";

/** The names of the classes that a link can lead to; `null` for all. */
export function targetFamily({ type, target }: AttributeDefinition, model: Model): readonly string[] | null {
  const name = target ?? (type === "file" ? "File" : null);
  return name === null ? null : (model.find(name)?.family ?? []);
}
