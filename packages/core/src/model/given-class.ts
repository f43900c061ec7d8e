import { ServiceError } from "../errors/index.ts";
import type { AttributeType, DeleteRule, Permission } from "../storage/index.ts";

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

/** What is wrong with the definition of a class, and where: 307 with the JSON pointer and the reason. */
export class DefinitionFault extends ServiceError {
  constructor(
    readonly pointer: string,
    readonly reason: string,
  ) {
    super(307, { detail: `at ${pointer}: ${reason}` });
  }
}

export function definitionFault(pointer: string, reason: string): DefinitionFault {
  return new DefinitionFault(pointer, reason);
}

/** What a model may hold. All of it is in the memory of every process, and every write looks at all indexes. */
export const definitionLimits = {
  classes: 1_000,
  /** Classes from the outermost base to a class. */
  depth: 20,
  /** Attributes of a class with the inherited ones; no body of a request can have more members. */
  attributes: 500,
  /** Groups with rights on a class. */
  rights: 500,
  /** Groups that may read one attribute. */
  readers: 50,
  /** Indexed attributes, counted once for each class that has them. */
  indexes: 200,
} as const;
