import type { AttributeDefinition, DeleteRule } from "./class-definition.ts";

/** The rule of a link: the one that it names, else to clear what may be empty and to refuse where something must stand. */
export function deleteRuleOf({ type, mandatory, onDelete }: AttributeDefinition): DeleteRule {
  // A mandatory collection may lose its last member, but not be missing.
  return onDelete ?? (mandatory === true && type !== "collection" ? "refuse" : "clear");
}
