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
 * Effect of a deletion on the objects that reference the deleted object. `refuse` rejects the deletion, `clear` removes
 * the value, `cascade` deletes them too.
 */
export type DeleteRule = (typeof deleteRules)[number];

export interface AttributeDefinition {
  /** `[A-Za-z][A-Za-z0-9_]{0,62}`. */
  readonly name: string;
  readonly type: AttributeType;
  /** Class of the targets of a reference or a collection. That of a file is `File`. */
  readonly target?: string;
  readonly mandatory?: boolean;
  readonly indexed?: boolean;
  /** Links only. Default: see `deleteRuleOf`. */
  readonly onDelete?: DeleteRule;
  /** Ids of the groups with read access, in addition to administrators. Unrestricted by default. */
  readonly read?: readonly ObjectId[];
}

export const permissions = ["read", "create", "write", "delete"] as const;

export type Permission = (typeof permissions)[number];

/** Permissions of one group on the objects of a class. */
export interface ClassRight {
  /** Id of a `UserGroup` object; `*` stands for every authenticated user. */
  readonly group: ObjectId | "*";
  readonly permissions: readonly Permission[];
}

/** A stored class of business objects. Attributes are inherited, rights are not. */
export interface ClassDefinition {
  /** `[A-Za-z][A-Za-z0-9_]{0,62}` with at least one lowercase letter. */
  readonly name: string;
  readonly base: string | null;
  /** Path through references to the value that names an object: `Name`, `Customer.Name`. */
  readonly title?: string;
  readonly attributes: readonly AttributeDefinition[];
  readonly rights: readonly ClassRight[];
}

/** Types whose value is the id of another object. */
type SingleLink = "reference" | "file";

export function isSingleLink(type: string): type is SingleLink {
  return type === "reference" || type === "file";
}

/** Whether values of the type contain ids of other objects. */
export function isLink(type: AttributeType): type is SingleLink | "collection" {
  return isSingleLink(type) || type === "collection";
}

/** The delete rule of a link. Default: `refuse` for a mandatory reference or file, else `clear`. */
export function deleteRuleOf({ type, mandatory, onDelete }: AttributeDefinition): DeleteRule {
  // A mandatory collection may be empty, but not missing.
  return onDelete ?? (mandatory === true && type !== "collection" ? "refuse" : "clear");
}

const indexable: ReadonlySet<AttributeType> = new Set(["string", "number", "boolean", "date", "reference", "file"]);

export function isIndexable(type: AttributeType): boolean {
  return indexable.has(type);
}
