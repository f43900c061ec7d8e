import {
  type AttributeDefinition,
  idsOf,
  isLink,
  isSameJson,
  isSingleLink,
  type JsonValue,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import { mayOnClass, type ModelClass } from "../../model/index.ts";
import {
  type InputAttributes,
  isFileClass,
  plainRule,
  targetReference,
  writableAttributes,
} from "../../objects/index.ts";
import type { SessionContext } from "../../request/index.ts";
import { mergeFields, type SentField } from "./merge-fields.ts";
import type { SchemaView } from "../schema-view.ts";
import {
  fieldFault,
  type PutChange,
  type SyncPutOutcome,
  type SyncConflict,
  SyncConflictError,
} from "./device-change.ts";
import type { ShownTargets } from "./sync-targets.ts";

/** The writes of a put. */
export interface PlannedPut {
  readonly modelClass: ModelClass;
  /** The stored object; `null` for a new one. */
  readonly object: StoredObject | null;
  /** The fields to write, as given; none if there is nothing to do. */
  readonly input: InputAttributes;
  readonly merged: readonly string[];
  readonly conflicts: readonly SyncConflict[];
  /** Conflicting fields that a macro decides. */
  readonly undecided: UndecidedFields | null;
  /** Whether the client can compute the object that is stored. */
  readonly isComputable: boolean;
}

/** The sent fields of an object with conflicts, in the form of an answer. */
export interface UndecidedFields {
  readonly macro: string;
  readonly base: InputAttributes;
  readonly mine: InputAttributes;
  readonly theirs: InputAttributes;
}

/**
 * Plans a put on a stored object, or of a new one. 332: a field or a class that is not of the schema, a field that the
 * caller cannot read or write, or a conflict that the schema refuses. 404: no right to write or create.
 */
export function planPut(
  { principal }: Pick<SessionContext, "principal">,
  view: SchemaView,
  change: PutChange,
  object: StoredObject | null,
  shown: ShownTargets,
): PlannedPut {
  const modelClass = view.model.find(object?.className ?? change.className ?? "");
  if (modelClass === undefined || !view.classes.includes(modelClass.definition.name))
    throw new ServiceError(332, { detail: "at /className: A class of the schema is expected." });
  const definitions = acceptFields(change, modelClass, view);
  if (!mayOnClass(principal, modelClass, object === null ? "create" : "write")) throw new ServiceError(404);
  const { fields } = change;
  if (object === null) {
    if (isFileClass(view.model, modelClass.definition.name))
      throw new ServiceError(404, { detail: "Files are created by uploads." });
    const isComputable = definitions.every((attribute) => isStoredAsGiven(attribute, fields[attribute.name] ?? null));
    return { modelClass, object, input: fields, merged: [], conflicts: [], undecided: null, isComputable };
  }
  return { modelClass, object, ...changesOf(view, change, object, definitions, shown) };
}

/** The definitions of the sent fields. */
function acceptFields({ fields }: PutChange, modelClass: ModelClass, view: SchemaView): AttributeDefinition[] {
  const schemaFields = view.fields.get(modelClass.definition.name);
  const writable = writableAttributes(view.model, modelClass);
  return Object.keys(fields).map((name) => {
    const attribute = schemaFields?.get(name);
    if (attribute === undefined) throw fieldFault(name, "The schema has no such field.");
    if (!writable.has(name)) throw fieldFault(name, "The field cannot be written.");
    return attribute;
  });
}

/** 332 for a field that is of no class of the schema, before the class of the object is known. `null` if there is none. */
export function unknownField(
  { fields }: Pick<PutChange, "fields">,
  { fields: covered }: SchemaView,
): ServiceError | null {
  const ofClasses = [...covered.values()];
  for (const name of Object.keys(fields))
    if (!ofClasses.some((each) => each.has(name))) return fieldFault(name, "The schema has no such field.");
  return null;
}

function changesOf(
  { schema }: SchemaView,
  change: PutChange,
  object: StoredObject,
  definitions: readonly AttributeDefinition[],
  shown: ShownTargets,
): Omit<PlannedPut, "modelClass" | "object"> {
  const { fields, base, version } = change;
  const isBehind = version !== object.version;
  const pushedFields = new Map(
    definitions.map((attribute): [string, SentField] => {
      const { name } = attribute;
      const seen = Object.hasOwn(base, name) ? comparable(attribute, base[name] ?? null, shown) : undefined;
      // After a change of rights, the client can know another target than it could read now.
      const isUntold = seen === undefined || (!isBehind && isLink(attribute.type));
      const mine = comparable(attribute, fields[name] ?? null, shown);
      return [name, { base: isUntold ? undefined : seen, mine, theirs: storedValue(attribute, object, shown) }];
    }),
  );
  const policy = schema.conflicts;
  const side = policy === "client" ? "mine" : "theirs";
  const { applied, merged, conflicts: names } = mergeFields(pushedFields, { isBehind, side });
  const theirs = Object.fromEntries(definitions.map((each) => [each.name, shownValue(each, object, shown)]));
  const conflicts = names.map((field): SyncConflict => ({ field, theirs: theirs[field] ?? null, kept: side }));
  if (policy === "reject" && conflicts.length > 0)
    throw new SyncConflictError(object, outcomeOf(object, merged, conflicts));
  const isComputable =
    !isBehind &&
    merged.length === 0 &&
    definitions.every((each) => !applied.includes(each.name) || isStoredAsGiven(each, fields[each.name] ?? null));
  const undecided =
    typeof policy === "string" || conflicts.length === 0 ? null : { macro: policy.macro, base, mine: fields, theirs };
  return { input: picked(fields, applied), merged, conflicts, undecided, isComputable };
}

export function outcomeOf(
  { uuid, id, version }: Pick<StoredObject, "uuid" | "id" | "version">,
  merged: readonly string[],
  conflicts: readonly SyncConflict[],
): SyncPutOutcome {
  return { uuid, objectId: id, version, merged, conflicts };
}

/**
 * The plan after the macro: each sent field that it returns has that value, and a conflicting one that it does not return
 * stays as it is. 710 for any other result.
 */
export function decided(plan: PlannedPut, { macro, mine }: UndecidedFields, result: JsonValue | undefined): PlannedPut {
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  if (!isObject || !Object.keys(result).every((name) => Object.hasOwn(mine, name)))
    throw new ServiceError(710, { detail: `The macro ${macro} must return an object of the given fields.` });
  const chosen = result as InputAttributes;
  const conflicts = plan.conflicts.map((each): SyncConflict => {
    return { ...each, kept: Object.hasOwn(chosen, each.field) ? "macro" : "theirs" };
  });
  return { ...plan, input: { ...plan.input, ...chosen }, conflicts, undecided: null };
}

/** The sent value in the form of `storedValue`. A value that is not accepted differs from all stored ones. */
function comparable({ type }: AttributeDefinition, value: JsonValue, shown: ShownTargets): JsonValue {
  if (value === null) return null;
  if (!isLink(type)) return plainRule(type).accept(value) ?? [value];
  if (isSingleLink(type)) return targetOf(value, shown);
  if (!Array.isArray(value)) return value;
  return value.length === 0 ? null : value.map((each: JsonValue) => targetOf(each, shown));
}

/** The UUID of a target; the given value if it is not known. */
function targetOf(value: JsonValue, shown: ShownTargets): JsonValue {
  const reference = targetReference(value);
  if (reference === null) return [value];
  const { id, uuid } = reference;
  return (id === null ? uuid : (shown.get(id)?.uuid ?? uuid ?? id)) ?? null;
}

/** The stored value as the caller can read it: a target is its UUID, and an empty collection is null. */
function storedValue(attribute: AttributeDefinition, { attributes }: StoredObject, shown: ShownTargets): JsonValue {
  const { name, type } = attribute;
  if (!isLink(type)) return Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
  const uuids = idsOf(attributes, name).flatMap((id) => shown.get(id)?.uuid ?? []);
  if (type === "collection") return uuids.length === 0 ? null : uuids;
  return uuids[0] ?? null;
}

/** The stored value in the form of an answer. */
export function shownValue(attribute: AttributeDefinition, object: StoredObject, shown: ShownTargets): JsonValue {
  const value = storedValue(attribute, object, shown);
  if (!isLink(attribute.type)) return value;
  if (attribute.type === "collection") return (Array.isArray(value) ? value : []).map((uuid) => ({ "~UUID": uuid }));
  return value === null ? null : { "~UUID": value };
}

function isStoredAsGiven({ type }: AttributeDefinition, value: JsonValue): boolean {
  return value === null || isLink(type) || isSameJson(plainRule(type).accept(value) ?? null, value);
}

function picked(fields: InputAttributes, names: readonly string[]): InputAttributes {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
