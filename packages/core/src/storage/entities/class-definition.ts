import type { ObjectId } from "./object-id.ts";

export const attributeTypes = [
  "string",
  "number",
  "boolean",
  "date",
  "json",
  "file",
  "reference",
  "collection",
] as const;

export type AttributeType = (typeof attributeTypes)[number];

export const deleteRules = ["refuse", "clear", "cascade"] as const;

/**
 * What the deletion of an object means to those that point to it: it is refused, they lose the value, or they are deleted
 * with it.
 */
export type DeleteRule = (typeof deleteRules)[number];

export interface AttributeDefinition {
  /** `[A-Za-z][A-Za-z0-9_]{0,62}`. */
  readonly name: string;
  readonly type: AttributeType;
  /** Class of what a reference or a collection points to. */
  readonly target?: string;
  readonly mandatory?: boolean;
  readonly indexed?: boolean;
  /** Of a link only; see `deleteRuleOf` for what holds unless given. */
  readonly onDelete?: DeleteRule;
  /** Ids of the groups with read access, beside administrators. Unrestricted by default. */
  readonly read?: readonly ObjectId[];
}

export const permissions = ["read", "create", "write", "delete"] as const;

export type Permission = (typeof permissions)[number];

/** What the members of one group may do with the objects of a class. */
export interface ClassRight {
  /** Id of a `UserGroup` object; `*` stands for everybody who is logged in. */
  readonly group: ObjectId | "*";
  readonly permissions: readonly Permission[];
}

/** A class of business objects as it is stored. Rights are not inherited, attributes are. */
export interface ClassDefinition {
  /** `[A-Za-z][A-Za-z0-9_]{0,62}` with at least one lowercase letter. */
  readonly name: string;
  readonly base: string | null;
  readonly attributes: readonly AttributeDefinition[];
  readonly rights: readonly ClassRight[];
}

/** The rule of a link: the one that it names, else to clear what may be empty and to refuse where something must stand. */
export function deleteRuleOf({ type, mandatory, onDelete }: AttributeDefinition): DeleteRule {
  // A mandatory collection may lose its last member, but not be missing.
  return onDelete ?? (mandatory === true && type !== "collection" ? "refuse" : "clear");
}

const indexable: ReadonlySet<AttributeType> = new Set(["string", "number", "boolean", "date", "reference", "file"]);

/** Whether attributes of this type can have an index. */
export function isIndexable(type: AttributeType): boolean {
  return indexable.has(type);
}
