import { faultAt } from "../errors/index.ts";
import { type Model, type ModelClass, readableSubtree, readableTargets } from "../model/index.ts";
import type { AttributeDefinition, Visibility } from "../storage/index.ts";
import {
  type MemberPage,
  type RequestedField,
  type RequestedFields,
  requestedFields,
  type Serialization,
} from "./serialization.ts";

/** How the objects at one place of an answer are written; made once for a request. */
export interface ObjectPlan {
  /** Whether the meta-fields are written, or `~ObjectID` alone. */
  readonly metaFields: boolean;
  readonly uuid: boolean;
  /** Whether attributes are written, and so other objects may have to be read. */
  readonly attributes: boolean;
  readonly extensible: boolean;
  /** What is written of an object of the class besides meta-fields; `undefined` for nothing. */
  readonly of: (className: string) => ClassPlan | undefined;
}

interface ClassPlan {
  /** The class, if all of its attributes are written and none of them leads to other objects. */
  readonly plain: ModelClass | null;
  /** In the order of the class. */
  readonly attributes: readonly PlannedAttribute[];
  readonly links: readonly PlannedLink[];
}

interface PlannedAttribute {
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

export const metaFieldsOnly: ObjectPlan = {
  metaFields: true,
  uuid: false,
  attributes: false,
  extensible: false,
  of: () => undefined,
};

const idOnly: ObjectPlan = { ...metaFieldsOnly, metaFields: false };

/** The meta-fields, and what hooks make of them. */
const hooksOnly: ObjectPlan = { ...metaFieldsOnly, extensible: true };

/** The same with `~UUID`, for objects that were asked for. */
export function withUuid(plan: ObjectPlan): ObjectPlan {
  return { ...plan, uuid: true };
}

type LinkTarget = (attribute: AttributeDefinition) => {
  readonly target: ObjectPlan;
  readonly page: MemberPage | null;
};

/** The plan for objects of a class of which these attributes are written. */
function classPlan(modelClass: ModelClass, isWritten: (name: string) => boolean, targetOf: LinkTarget): ClassPlan {
  const written = [...modelClass.attributes.values()].filter(({ name }) => isWritten(name));
  const links = new Set(modelClass.links);
  const attributes = written.map((attribute): PlannedAttribute => {
    const { name, type } = attribute;
    if (!links.has(attribute)) return { name, link: null };
    const { target, page } = targetOf(attribute);
    const isCollection = type === "collection";
    return { name, link: { name, isCollection, target, page: isCollection ? page : null } };
  });
  const isPlain = links.size === 0 && written.length === modelClass.attributes.size;
  return { plain: isPlain ? modelClass : null, attributes, links: attributes.flatMap(({ link }) => link ?? []) };
}

/** References are followed this far unless the request says otherwise. */
export const defaultDepth = 2;

const cacheSize = new WeakMap<Model, ObjectPlan[]>();

/** All attributes, of targets up to `depth` steps away too; one step further the meta-fields. Made once per model. */
export function fullPlan(model: Model, depth: number): ObjectPlan {
  if (depth < 0) return metaFieldsOnly;
  const plans = cacheSize.get(model) ?? [];
  cacheSize.set(model, plans);
  return (plans[depth] ??= { ...metaFieldsOnly, attributes: true, extensible: true, of: fullClassPlans(model, depth) });
}

function fullClassPlans(model: Model, depth: number): ObjectPlan["of"] {
  const plans = new Map<string, ClassPlan>();
  return (className) => {
    const known = plans.get(className);
    const modelClass = model.find(className);
    if (known !== undefined || modelClass === undefined) return known;
    const link = { target: fullPlan(model, depth - 1), page: null };
    const plan = classPlan(
      modelClass,
      () => true,
      () => link,
    );
    plans.set(className, plan);
    return plan;
  };
}

interface CustomPlanParts {
  readonly model: Model;
  readonly visibility: Visibility;
  /** How far links are followed that no fields are named of, counted from the roots. */
  readonly depth: number;
}

/** The one meta-field that can be named: the others are always there. */
const uuid = "~UUID";

/** Writes these fields of the readable classes that can stand there. No such name: 307. `level`: steps from roots. */
function customPlan(
  fields: RequestedFields,
  classes: readonly ModelClass[],
  parts: CustomPlanParts,
  level = 0,
): ObjectPlan {
  // Of classes that the caller may not read nothing is told, not even which names are right; and nothing of them is written.
  if (classes.length === 0) return metaFieldsOnly;
  const targets = new Map<string, ObjectPlan>();
  for (const [name, field] of fields) {
    const links = classes.flatMap((each) => each.links.filter((link) => link.name === name));
    checkUse(field, links, name === uuid || classes.some(({ attributes }) => attributes.has(name)));
    targets.set(name, targetPlan(field, links, parts, level + 1));
  }
  const targetOf = ({ name }: AttributeDefinition) => {
    return { target: targets.get(name) ?? metaFieldsOnly, page: fields.get(name)?.page ?? null };
  };
  const plans = new Map(
    classes.map((each) => [each.definition.name, classPlan(each, (name) => fields.has(name), targetOf)]),
  );
  const of = (className: string) => plans.get(className);
  return { metaFields: true, uuid: fields.has(uuid), attributes: true, extensible: true, of };
}

/** Refuses a name that is not there, and what cannot be asked of such an attribute. */
function checkUse(
  { pointer, below, page }: RequestedField,
  links: readonly AttributeDefinition[],
  exists: boolean,
): void {
  if (!exists) throw faultAt(pointer, "There is no such attribute.");
  if (below !== null && links.length === 0) throw faultAt(pointer, "The attribute leads to no other object.");
  if (page !== null && !links.some(({ type }) => type === "collection"))
    throw faultAt(pointer, "Only a collection has pages.");
}

function targetPlan(
  { below }: RequestedField,
  links: readonly AttributeDefinition[],
  parts: CustomPlanParts,
  level: number,
): ObjectPlan {
  const { model, visibility, depth } = parts;
  if (below === null) return fullPlan(model, depth - level);
  const classes = new Set(links.flatMap((link) => readableTargets(link, model, visibility)));
  return customPlan(below, [...classes], parts, level);
}

export interface PlannedAnswer {
  readonly model: Model;
  readonly visibility: Visibility;
  /** The class whose objects, and those of the classes below it, are the roots of the answer. */
  readonly className: string;
}

/** How the objects of an answer are written; the default unless the request says something. Fields that cannot be written: 307. */
export function planSerialization(
  serialization: Serialization | undefined,
  { model, visibility, className }: PlannedAnswer,
): ObjectPlan {
  const { type = "full", depth = defaultDepth, fields = [] } = serialization ?? {};
  switch (type) {
    case "full":
      return withUuid(fullPlan(model, depth));
    case "empty":
      return withUuid(metaFieldsOnly);
    case "oid":
      return idOnly;
    case "macro":
      return withUuid(hooksOnly);
    case "custom": {
      const requested = requestedFields(fields, "/serialization/fields");
      return withUuid(
        customPlan(requested, readableSubtree(model, className, visibility), { model, visibility, depth }),
      );
    }
  }
}
