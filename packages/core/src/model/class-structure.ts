import type { ObjectId } from "../objects/object-id.ts";
import type { AttributeType, ClassRight, DeleteRule, Permission } from "./class-definition.ts";

/** An attribute as clients see it. */
export interface AttributeStructure {
  readonly name: string;
  readonly type: AttributeType;
  /** Of references and collections: the class that they point to; `null` if the caller may not read it. */
  readonly target?: string | null;
  readonly mandatory: boolean;
  readonly indexed: boolean;
  /** Of an indexed one: whether lists of the class use its indexes already. */
  readonly indexState?: "ready" | "building";
  /** Of links: what the deletion of what they point to means to the object. */
  readonly onDelete?: DeleteRule;
  /** For administrators: ids of the groups with read access, if it is restricted. */
  readonly read?: readonly ObjectId[];
  /** Whether a base declares it. */
  readonly inherited: boolean;
}

/** A class as clients see it. */
export interface ClassStructure {
  readonly name: string;
  /** `null` without one, and if the caller may not read it. */
  readonly base: string | null;
  readonly builtIn: boolean;
  /** Inherited ones first. */
  readonly attributes: readonly AttributeStructure[];
  /** What the caller may do with its objects, as far as the class decides it. */
  readonly permissions: readonly Permission[];
  /** For administrators. */
  readonly rights?: readonly ClassRight[];
}
