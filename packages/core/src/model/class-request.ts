import { type AttributeType, type DeleteRule, type Permission, ServiceError } from "@sallyport/storage";

/** A class definition of a request. Only its types are checked. */
export interface ClassRequest {
  readonly base: string | null;
  readonly title?: string | undefined;
  readonly attributes: readonly AttributeRequest[];
  readonly rights: readonly RightRequest[];
}

export interface AttributeRequest {
  readonly name: string;
  readonly type: AttributeType;
  readonly target?: string | undefined;
  readonly mandatory?: boolean | undefined;
  readonly indexed?: boolean | undefined;
  readonly onDelete?: DeleteRule | undefined;
  /** Ids or UUIDs of `UserGroup` objects. */
  readonly read?: readonly string[] | undefined;
}

export interface RightRequest {
  /** Id or UUID of a `UserGroup` object, or `*`. */
  readonly group: string;
  readonly permissions: readonly Permission[];
}

/** An invalid class definition: 307 with JSON pointer and reason. */
export class DefinitionFault extends ServiceError {
  constructor(
    readonly pointer: string,
    readonly reason: string,
  ) {
    super(307, { detail: `at ${pointer}: ${reason}` });
  }
}

/** Limits of a model. Every process keeps it in memory, and every write checks all indexes. */
export const definitionLimits = {
  classes: 1_000,
  /** Length of an inheritance chain. */
  depth: 20,
  /** Own and inherited attributes of a class; a request body can have no more members. */
  attributes: 500,
  /** Groups with rights on a class. */
  rights: 500,
  /** Groups with read access to one attribute. */
  readers: 50,
  /** References on the path of a title. */
  titleReferences: 4,
  /** Indexed attributes, counted once per class. */
  indexes: 200,
} as const;
