import type { ModelClass } from "../../model/model.ts";

/** How the objects at one place of an answer are written; made once for a request. */
export interface ObjectPlan {
  /** Whether the meta-fields are written, or `~ObjectID` alone. */
  readonly metaFields: boolean;
  /** Whether `~UUID` is one of them. */
  readonly uuid: boolean;
  /** Whether attributes are written, and so other objects may have to be read. */
  readonly attributes: boolean;
  /** Whether hooks build on what is written. */
  readonly extensible: boolean;
  /** What is written of an object of the class besides meta-fields; `undefined` for nothing. */
  of(className: string): ClassPlan | undefined;
}

/** What is written of the objects of one class at one place. */
export interface ClassPlan {
  /** The class, if all of its attributes are written and none of them leads to other objects. */
  readonly plain: ModelClass | null;
  /** In the order of the class. */
  readonly attributes: readonly PlannedAttribute[];
  /** The links among the attributes. */
  readonly links: readonly PlannedLink[];
}

export interface PlannedAttribute {
  readonly name: string;
  /** Set when the value is the id of another object, or a list of such ids. */
  readonly link: PlannedLink | null;
}

export interface PlannedLink {
  readonly name: string;
  readonly isCollection: boolean;
  readonly target: ObjectPlan;
  /** The part of the members that is written; `null` for all. */
  readonly page: MemberPage | null;
}

/** A part of a collection, after what the caller may not see is taken out. Both are whole and not negative. */
export interface MemberPage {
  readonly offset: number;
  readonly limit: number;
}

const nothing = (): undefined => undefined;

export const metaFieldsOnly: ObjectPlan = {
  metaFields: true,
  uuid: false,
  attributes: false,
  extensible: false,
  of: nothing,
};

export const idOnly: ObjectPlan = { metaFields: false, uuid: false, attributes: false, extensible: false, of: nothing };

/** The meta-fields, and what hooks make of them. */
export const hooksOnly: ObjectPlan = {
  metaFields: true,
  uuid: false,
  attributes: false,
  extensible: true,
  of: nothing,
};

/** The same with `~UUID`, for objects that were asked for. */
export function withUuid(plan: ObjectPlan): ObjectPlan {
  const { metaFields, attributes, extensible } = plan;
  return { metaFields, uuid: true, attributes, extensible, of: (className) => plan.of(className) };
}
