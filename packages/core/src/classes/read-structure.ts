import {
  type AttributeDefinition,
  type AttributeType,
  builtInClasses,
  type ClassRight,
  type DeleteRule,
  deleteRuleOf,
  type ObjectId,
  type Permission,
  permissions,
  type Principal,
  ServiceError,
} from "@sallyport/storage";
import { mayOnClass, type Model, type ModelClass, targetClass, titleAttributes } from "../model/index.ts";
import { requestModel, type SessionContext } from "../request/index.ts";
import { ReadyIndexes } from "./align-indexes.ts";

export interface ModelStructure {
  readonly classes: readonly ClassStructure[];
  /** For the `ETag` of the answer. */
  readonly generation: number;
}

/** Returns the classes that the caller may read. 307 inside a transaction, because index states are read outside it. */
export async function readStructure(
  context: Pick<SessionContext, "r" | "database" | "unit" | "principal" | "modelGeneration">,
): Promise<ModelStructure> {
  const { database, principal, unit } = context;
  if (unit.joined) throw new ServiceError(307, { detail: "Classes cannot be read inside a transaction." });
  const model = (await requestModel(context)).as(principal);
  const readable = [...model.all()].filter((modelClass) => mayOnClass(principal, modelClass, "read"));
  const source = { model, principal, indexes: await ReadyIndexes.of(model, database.storage) };
  const classes = readable.map((modelClass) => structureOf(modelClass, source));
  return { classes, generation: model.generation };
}

interface StructureSource {
  readonly model: Model;
  readonly principal: Principal;
  readonly indexes: ReadyIndexes;
}

export function structureOf(modelClass: ModelClass, { model, principal, indexes }: StructureSource): ClassStructure {
  const { definition, attributes, links } = modelClass;
  const { name, base, title, rights } = definition;
  const own = new Set(definition.attributes.map((attribute) => attribute.name));
  const attributeOf = (attribute: AttributeDefinition): AttributeStructure => ({
    name: attribute.name,
    type: attribute.type,
    ...(attribute.target === undefined ? {} : { target: readableName(attribute.target, model, principal) }),
    mandatory: attribute.mandatory === true,
    indexed: attribute.indexed === true,
    ...(attribute.indexed === true
      ? { indexState: indexes.serve(modelClass, attribute.name) ? "ready" : "building" }
      : {}),
    ...(links.includes(attribute) ? { onDelete: deleteRuleOf(attribute) } : {}),
    ...(principal.administrator && attribute.read !== undefined ? { read: attribute.read } : {}),
    inherited: !own.has(attribute.name),
  });
  return {
    name,
    base: base === null ? null : readableName(base, model, principal),
    ...(title !== undefined && isReadableTitle(title, name, { model, principal }) ? { title } : {}),
    builtIn: builtInClasses.some((each) => each.name === name),
    attributes: [...attributes.values()].map(attributeOf),
    permissions: permissions.filter((permission) => mayOnClass(principal, modelClass, permission)),
    ...(principal.administrator ? { rights } : {}),
  };
}

/** A title that leads through what the caller may not read would reveal names. */
function isReadableTitle(
  title: string,
  className: string,
  { model, principal }: Omit<StructureSource, "indexes">,
): boolean {
  const attributes = titleAttributes(title, className, model);
  if (typeof attributes === "string") return false;
  const targets = attributes.slice(0, -1).map((reference) => targetClass(reference));
  return targets.every((target) => target !== null && readableName(target, model, principal) !== null);
}

/** `null` for an unreadable class: its name stays hidden. */
function readableName(name: string, model: Model, principal: Principal): string | null {
  const modelClass = model.find(name);
  return modelClass !== undefined && mayOnClass(principal, modelClass, "read") ? name : null;
}

export interface AttributeStructure {
  readonly name: string;
  readonly type: AttributeType;
  /** Target class of a reference or a collection; `null` if the caller may not read it. */
  readonly target?: string | null;
  readonly mandatory: boolean;
  readonly indexed: boolean;
  /** For indexed attributes: whether lists of the class already use the indexes. */
  readonly indexState?: "ready" | "building";
  /** Delete rule of a link. */
  readonly onDelete?: DeleteRule;
  /** For administrators: ids of the groups with read access, if restricted. */
  readonly read?: readonly ObjectId[];
  /** Whether the attribute comes from a base class. */
  readonly inherited: boolean;
}

export interface ClassStructure {
  readonly name: string;
  /** `null` without a base, or if the caller may not read it. */
  readonly base: string | null;
  /** Path to the value that names an object. Absent without one, or if the caller may not read what it leads through. */
  readonly title?: string;
  readonly builtIn: boolean;
  /** Inherited attributes first. */
  readonly attributes: readonly AttributeStructure[];
  /** The caller's permissions by class rights. */
  readonly permissions: readonly Permission[];
  /** For administrators only. */
  readonly rights?: readonly ClassRight[];
}

export interface ReadableClass {
  readonly modelClass: ModelClass;
  readonly permissions: readonly Permission[];
}

export interface ReadableClasses {
  readonly model: Model;
  /** Sorted by name. */
  readonly classes: readonly ReadableClass[];
}

export async function listReadableClasses(context: SessionContext): Promise<ReadableClasses> {
  const { principal } = context;
  const model = (await requestModel(context)).as(principal);
  const classes = Array.from(model.all(), (modelClass): ReadableClass => {
    return {
      modelClass,
      permissions: permissions.filter((permission) => mayOnClass(principal, modelClass, permission)),
    };
  });
  const readable = classes.filter((each) => each.permissions.includes("read"));
  return { model, classes: readable.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
}

function nameOf({ modelClass }: ReadableClass): string {
  return modelClass.definition.name;
}
