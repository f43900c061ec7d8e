import { type AttributeDefinition, type AttributeType, faultAt, type Visibility } from "@sallyport/storage";
import { type Model, type ModelClass, readableSubtree, readableTargets } from "../../model/index.ts";
import {
  type MemberPage,
  type RequestedField,
  type RequestedFields,
  requestedFields,
  type Serialization,
} from "./serialization.ts";
import { type ValueForms, valueForms } from "./value-forms.ts";

/** How to write the objects at one place of an answer. Built once per request. */
export interface ObjectPlan {
  /** `false` writes `~ObjectID` only. */
  readonly metaFields: boolean;
  readonly uuid: boolean;
  /** Whether attributes are written, which may require loading targets. */
  readonly attributes: boolean;
  readonly extensible: boolean;
  /** Forms of values that are not links; `null` for values as they are. */
  readonly values: ValueForms | null;
  /** Attributes to write for an object of the class; `undefined` for none. */
  readonly of: (className: string) => ClassPlan | undefined;
}

interface ClassPlan {
  /** The class if all attributes are written as they are and none is a link; else `null`. */
  readonly plain: ModelClass | null;
  /** In the order of the class. */
  readonly attributes: readonly PlannedAttribute[];
  readonly links: readonly PlannedLink[];
}

export interface PlannedAttribute {
  readonly name: string;
  readonly type: AttributeType;
  /** Set for references, files and collections. */
  readonly link: PlannedLink | null;
}

export interface PlannedLink {
  readonly name: string;
  readonly isCollection: boolean;
  readonly target: ObjectPlan;
  /** The page of members to write; `null` for all. */
  readonly page: MemberPage | null;
}

export const metaFieldsOnly: ObjectPlan = {
  metaFields: true,
  uuid: false,
  attributes: false,
  extensible: false,
  values: null,
  of: () => undefined,
};

const idOnly: ObjectPlan = { ...metaFieldsOnly, metaFields: false };

/** Meta-fields, and the members added by hooks. */
const hooksOnly: ObjectPlan = { ...metaFieldsOnly, extensible: true };

/** The plan with `~UUID`, for the roots of an answer. */
export function withUuid(plan: ObjectPlan): ObjectPlan {
  return { ...plan, uuid: true };
}

type LinkTarget = (attribute: AttributeDefinition) => {
  readonly target: ObjectPlan;
  readonly page: MemberPage | null;
};

/** A plan that writes the selected attributes of a class. */
function classPlan(
  modelClass: ModelClass,
  isWritten: (name: string) => boolean,
  { targetOf, values }: { readonly targetOf: LinkTarget; readonly values: ValueForms | null },
): ClassPlan {
  const written = [...modelClass.attributes.values()].filter(({ name }) => isWritten(name));
  const links = new Set(modelClass.links);
  const attributes = written.map((attribute): PlannedAttribute => {
    const { name, type } = attribute;
    if (!links.has(attribute)) return { name, type, link: null };
    const { target, page } = targetOf(attribute);
    const isCollection = type === "collection";
    return { name, type, link: { name, isCollection, target, page: isCollection ? page : null } };
  });
  const isPlain = values === null && links.size === 0 && written.length === modelClass.attributes.size;
  return { plain: isPlain ? modelClass : null, attributes, links: attributes.flatMap(({ link }) => link ?? []) };
}

/** Default depth of followed references. */
export const defaultDepth = 2;

/** By model, then by depth. */
const fullPlans = new WeakMap<Model, ObjectPlan[]>();

/** Plan for all attributes, with targets up to `depth` steps away. Beyond, meta-fields only. Cached per model, without forms. */
export function fullPlan(model: Model, depth: number, values: ValueForms | null = null): ObjectPlan {
  if (depth < 0) return metaFieldsOnly;
  const plan = () => {
    const of = fullClassPlans(model, depth, values);
    return { ...metaFieldsOnly, attributes: true, extensible: true, values, of };
  };
  if (values !== null) return plan();
  const plans = fullPlans.get(model) ?? [];
  fullPlans.set(model, plans);
  return (plans[depth] ??= plan());
}

function fullClassPlans(model: Model, depth: number, values: ValueForms | null): ObjectPlan["of"] {
  const plans = new Map<string, ClassPlan>();
  return (className) => {
    const cached = plans.get(className);
    const modelClass = model.find(className);
    if (cached !== undefined || modelClass === undefined) return cached;
    const link = { target: fullPlan(model, depth - 1, values), page: null };
    const plan = classPlan(modelClass, () => true, { targetOf: () => link, values });
    plans.set(className, plan);
    return plan;
  };
}

interface CustomPlanParts {
  readonly model: Model;
  readonly visibility: Visibility;
  /** Depth of links without named fields, counted from the roots. */
  readonly depth: number;
  readonly values: ValueForms | null;
}

/** The only meta-field that can be requested. The others are always written. */
const uuid = "~UUID";

/** Plan for the requested fields of the readable classes. 307 for an unknown name. `level`: steps from the roots. */
function customPlan(
  fields: RequestedFields,
  classes: readonly ModelClass[],
  parts: CustomPlanParts,
  level = 0,
): ObjectPlan {
  // Unreadable classes reveal nothing, not even whether a name exists.
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
  const { values } = parts;
  const plans = new Map(
    classes.map((each) => [each.definition.name, classPlan(each, (name) => fields.has(name), { targetOf, values })]),
  );
  const of = (className: string) => plans.get(className);
  return { metaFields: true, uuid: fields.has(uuid), attributes: true, extensible: true, values, of };
}

/** 307 for an unknown name, or an option that the attribute does not support. */
function checkUse(
  { pointer, below, page }: RequestedField,
  links: readonly AttributeDefinition[],
  exists: boolean,
): void {
  if (!exists) throw faultAt(pointer, "There is no attribute with this name.");
  if (below !== null && links.length === 0) throw faultAt(pointer, "The attribute is not a reference or a collection.");
  if (page !== null && !links.some(({ type }) => type === "collection"))
    throw faultAt(pointer, "The attribute is not a collection.");
}

function targetPlan(
  { below }: RequestedField,
  links: readonly AttributeDefinition[],
  parts: CustomPlanParts,
  level: number,
): ObjectPlan {
  const { model, visibility, depth, values } = parts;
  if (below === null) return fullPlan(model, depth - level, values);
  const classes = new Set(links.flatMap((link) => readableTargets(link, model, visibility)));
  return customPlan(below, [...classes], parts, level);
}

export interface PlannedAnswer {
  readonly model: Model;
  readonly visibility: Visibility;
  /** Class of the roots, including subclasses. */
  readonly className: string;
}

/** The plan of an answer, by the serialization of the request or the default. 307 for invalid fields. */
export function planSerialization(
  serialization: Serialization | undefined,
  { model, visibility, className }: PlannedAnswer,
): ObjectPlan {
  const { type = "full", depth = defaultDepth, fields = [] } = serialization ?? {};
  const values = serialization === undefined ? null : valueForms(serialization);
  switch (type) {
    case "full":
      return withUuid(fullPlan(model, depth, values));
    case "empty":
      return withUuid(metaFieldsOnly);
    case "oid":
      return idOnly;
    case "macro":
      return withUuid(hooksOnly);
    case "custom": {
      const requested = requestedFields(fields, "/serialization/fields");
      const classes = readableSubtree(model, className, visibility);
      return withUuid(customPlan(requested, classes, { model, visibility, depth, values }));
    }
  }
}
