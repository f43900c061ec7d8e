import type { AttributeType, DeleteRule, Permission } from "../class-definition.ts";

/** The definition of a class as somebody asks for it; nothing of it is checked but its types. */
export interface GivenClass {
  readonly base: string | null;
  readonly attributes: readonly GivenAttribute[];
  readonly rights: readonly GivenRight[];
}

export interface GivenAttribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly target?: string | undefined;
  readonly mandatory?: boolean | undefined;
  readonly indexed?: boolean | undefined;
  readonly onDelete?: DeleteRule | undefined;
  /** Ids or UUIDs of `UserGroup` objects. */
  readonly read?: readonly string[] | undefined;
}

export interface GivenRight {
  /** Id or UUID of a `UserGroup` object, or `*`. */
  readonly group: string;
  readonly permissions: readonly Permission[];
}
