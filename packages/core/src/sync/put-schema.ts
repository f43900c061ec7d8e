import {
  canonicalJson,
  faultAt,
  type JsonValue,
  type ObjectRepository,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { isMacroName } from "../macros/index.ts";
import type { Model } from "../model/index.ts";
import { resolveOwnFilter } from "../objects/index.ts";
import { type AdministrationContext, changesBetween, loadModel } from "../request/index.ts";
import { coveredClasses } from "./schema-view.ts";
import {
  type ConflictPolicy,
  defaultPageSize,
  isSyncSchemaName,
  maxPageSize,
  type SyncClass,
  type SyncDirection,
  syncDirections,
  type SyncSchema,
  syncSchemaKind,
} from "./sync-schema.ts";
import { currentSync, isSyncEnabled, storedSchemas, syncSwitchKind } from "./sync-schemas.ts";

/** A schema to store. */
export interface SyncSchemaInput {
  readonly name: string;
  readonly classes: readonly { readonly className: string; readonly fields?: readonly string[] | null }[];
  readonly where?: JsonValue | null;
  /** Default: `both`. */
  readonly direction?: SyncDirection;
  /** Default: `client`. */
  readonly conflicts?: ConflictPolicy;
  /** Default: 500. */
  readonly pageSize?: number;
}

const maxClasses = 100;
const maxFields = 1_000;
const maxSchemas = 100;

type Change = Pick<AdministrationContext, "unit" | "eventOf">;

/** Stores a schema. 333: invalid name. 307: invalid definition, or too many schemas. Clients of a changed one start over. */
export function putSyncSchema(context: Change, input: SyncSchemaInput): Promise<"stored" | "unchanged"> {
  return context.unit.transaction(async (r) => {
    // A class that the schema needs must not change until the schema is stored.
    await r.model.lock();
    const schema = await acceptSyncSchema(input, await loadModel(r.model, null), r.objects);
    const { schemas } = await storedSchemas(r.records);
    const stored = schemas.find(({ name }) => name === schema.name);
    if (stored !== undefined && textOf(stored) === textOf(schema)) return "unchanged";
    if (stored === undefined && schemas.length >= maxSchemas)
      throw faultAt("/name", `A database can have at most ${maxSchemas} schemas.`);
    await r.records.put(syncSchemaKind, schema.name, schema);
    await r.settings.raise();
    const changes = changesBetween(stored === undefined ? null : auditedSchema(stored), auditedSchema(schema));
    await r.audit.append(context.eventOf({ type: "syncSchema.stored", changes }));
    return "stored";
  });
}

export function removeSyncSchema(context: Change, name: string): Promise<"removed" | "unknown"> {
  return context.unit.transaction(async (r) => {
    const [record] = isSyncSchemaName(name) ? await r.records.get(syncSchemaKind, [name]) : [];
    if (record === undefined || (await r.records.remove(syncSchemaKind, { ids: [name] })).length === 0)
      return "unknown";
    await r.settings.raise();
    await r.audit.append(
      context.eventOf({ type: "syncSchema.removed", changes: changesBetween(auditedSchema(record.value), null) }),
    );
    return "removed";
  });
}

/** Switches synchronization of the database on or off. It is on by default. */
export function setSyncEnabled(context: Change, enabled: boolean): Promise<"changed" | "unchanged"> {
  return context.unit.transaction(async (r) => {
    if ((await isSyncEnabled(r.records)) === enabled) return "unchanged";
    await r.records.put(syncSwitchKind, currentSync, { enabled });
    await r.settings.raise();
    const changes = changesBetween({ enabled: !enabled }, { enabled });
    await r.audit.append(context.eventOf({ type: enabled ? "sync.enabled" : "sync.disabled", changes }));
    return "changed";
  });
}

/** An event has no other place for the name of the schema. */
function auditedSchema({ name, ...schema }: SyncSchema): object {
  return Object.fromEntries(Object.entries(schema).map(([member, value]) => [`${name}.${member}`, value]));
}

/** 333: invalid name. 307: anything else that is invalid, with its place. */
export async function acceptSyncSchema(
  input: SyncSchemaInput,
  model: Model,
  objects: ObjectRepository,
): Promise<SyncSchema> {
  const { name, where = null, direction = "both", conflicts = "client", pageSize = defaultPageSize } = input;
  if (!isSyncSchemaName(name)) throw new ServiceError(333);
  const schema = { name, classes: acceptClasses(input.classes, model), where, direction, conflicts, pageSize };
  if (!syncDirections.includes(direction)) throw faultAt("/direction", "must be pull, push or both");
  acceptPolicy(conflicts);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxPageSize)
    throw faultAt("/pageSize", `must be an integer from 1 to ${maxPageSize}`);
  const source = { model, objects, visibility: seesAll, classes: coveredClasses(schema, model), place: [] };
  if (where !== null) await resolveOwnFilter({ where }, source);
  return schema;
}

function acceptClasses(classes: SyncSchemaInput["classes"], model: Model): SyncClass[] {
  if (classes.length === 0 || classes.length > maxClasses)
    throw faultAt("/classes", `A schema must have 1 to ${maxClasses} classes.`);
  const names = new Set<string>();
  return classes.map(({ className, fields = null }, index) => {
    const place = `/classes/${index}`;
    const modelClass = model.find(className);
    if (modelClass === undefined) throw faultAt(`${place}/className`, "There is no class with this name.");
    if (names.has(className)) throw faultAt(`${place}/className`, "The class is listed twice.");
    names.add(className);
    if (fields !== null && fields.length > maxFields)
      throw faultAt(`${place}/fields`, `A class can have at most ${maxFields} fields.`);
    const wrongField = (fields ?? []).findIndex((field, at, all) => {
      return all.indexOf(field) !== at || !modelClass.subtree.some((each) => model.find(each)?.attributes.has(field));
    });
    if (wrongField >= 0) throw faultAt(`${place}/fields/${wrongField}`, "must name an attribute of the class, once");
    return { className, fields };
  });
}

function acceptPolicy(conflicts: ConflictPolicy): void {
  if (typeof conflicts === "string") {
    if (!["client", "server", "reject"].includes(conflicts))
      throw faultAt("/conflicts", "must be client, server, reject or a macro");
  } else if (!isMacroName(conflicts.macro)) throw faultAt("/conflicts/macro", "must be the name of a macro");
}

function textOf(schema: SyncSchema): string {
  return canonicalJson(schema as unknown as JsonValue);
}
