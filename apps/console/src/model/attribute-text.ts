import type { AttributeDefinition } from "@sallyport/client";
import type { Texts } from "../language/en.ts";
import { deleteRuleOf, isLink, type Permission } from "./model-edits.ts";

export const linkText = (from: string, target: string): string => `${from} → ${target}`;

/** A definition in words. `nameOf` gives the name of a group. */
export function attributeText(attribute: AttributeDefinition, texts: Texts, nameOf: (group: string) => string): string {
  const { type, target, mandatory, indexed, read } = attribute;
  const parts = [
    target === undefined ? texts.model.types[type] : linkText(texts.model.types[type], target),
    ...(mandatory === true ? [texts.model.mandatory] : []),
    ...(indexed === true ? [texts.model.indexed] : []),
    ...(isLink(attribute) ? [texts.model.onDeletion(texts.model.deleteRules[deleteRuleOf(attribute)])] : []),
    ...(read === undefined ? [] : [texts.model.readBy(read.map(nameOf).join(", "))]),
  ];
  return parts.join(" · ");
}

export const permissionsText = (permissions: readonly Permission[], texts: Texts): string =>
  permissions.length === 0
    ? texts.common.none
    : permissions.map((permission) => texts.rights.permissions[permission]).join(", ");
