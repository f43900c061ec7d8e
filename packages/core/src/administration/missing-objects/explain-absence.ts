import {
  type Filter,
  idsOf,
  isUuid,
  isVisible,
  type ObjectId,
  type Principal,
  type Repositories,
  seesAll,
  ServiceError,
  type StoredObject,
  type Tombstone,
} from "@sallyport/storage";
import { mayOnClass, type Model } from "../../model/index.ts";
import { requestModel, type Uses } from "../../request/index.ts";
import {
  coveredFields,
  type SchemaView,
  schemaView,
  type SyncDeletion,
  syncDeletionKind,
  type SyncSchema,
  type SyncSchemas,
} from "../../sync/index.ts";
import { type AbsenceCheck, cause, ok } from "./absence-check.ts";
import { positionFindings } from "./absence-positions.ts";
import type { AdministratorContext } from "../administrators.ts";

export interface ExplainAbsenceInput {
  readonly schemaName: string;
  readonly userId: ObjectId;
  readonly uuid: string;
  /** The version of the device; `null` if it is unknown. */
  readonly syncVersion: string | null;
}

/**
 * Explains why an object is not on the device of a user, or whether it is about to come. Changes nothing. In the order
 * of a pull. Unknown user: 304. No UUID: 307. An unknown schema or object is a finding.
 */
export async function explainAbsence(
  context: AdministratorContext & Uses<{ readonly syncSchemas: SyncSchemas }>,
  { schemaName, userId, uuid, syncVersion }: ExplainAbsenceInput,
): Promise<readonly AbsenceCheck[]> {
  const { r } = context;
  if (!isUuid(uuid)) throw new ServiceError(307, { detail: "at /uuid: a UUID is expected" });
  const user = await userOf(r, userId);
  const { enabled, schemas, databaseGeneration } = await context.services.syncSchemas.current(context);
  const schema = schemas.get(schemaName);
  const findings = [switchCheck(enabled), schemaCheck(schema), accountCheck(user)];
  if (schema === undefined) return findings;
  const { principal } = user;
  const [object] = await r.objects.get({ uuids: [uuid] }, seesAll);
  const tombstone = object === undefined ? await r.deletion.find({ kind: "uuid", uuid }, seesAll) : null;
  const className = object?.className ?? tombstone?.className ?? null;
  findings.push(await existenceCheck(r, tombstone, object !== undefined));
  if (className !== null) {
    const model = await requestModel(context);
    findings.push(...classChecks({ className, schema, model, principal }));
  }
  const view = await viewOf(context, principal, { schema, databaseGeneration });
  if (object !== undefined) findings.push(readersCheck(object, principal), await filterCheck(r, view, object));
  if (view !== null) findings.push(...(await positionFindings(r, view, { className, uuid, syncVersion })));
  return findings;
}

interface DeviceUser {
  readonly principal: Principal;
  readonly isDisabled: boolean;
}

async function userOf({ accounts }: Repositories, userId: ObjectId): Promise<DeviceUser> {
  const { account, user } = await accounts.find({ id: userId }, []);
  if (account === null || user === null) throw new ServiceError(304, { detail: "There is no user with this id." });
  const { administrator, disabled: isDisabled } = account;
  return { principal: { userId, groups: idsOf(user.attributes, "Groups"), administrator }, isDisabled };
}

function switchCheck(enabled: boolean): AbsenceCheck {
  if (enabled) return ok("switch", "Synchronization is on.");
  return cause("switch", "Synchronization of the database is off: devices get 717.", "Switch it on.");
}

function schemaCheck(schema: SyncSchema | undefined): AbsenceCheck {
  if (schema === undefined)
    return cause("schema", "The database has no schema of this name: devices get 333.", "Store the schema.");
  if (schema.direction === "push")
    return cause("schema", "The direction of the schema is push: devices cannot pull.", "Set the direction to both.");
  return ok("schema", `The schema exists, with the direction ${schema.direction}.`);
}

function accountCheck({ isDisabled, principal: { administrator, groups } }: DeviceUser): AbsenceCheck {
  if (isDisabled) return cause("user", "The account of the user is disabled.", "Enable the user.");
  const rights = administrator ? "is an administrator" : `is in ${groups.length} groups`;
  return ok("user", `The account is enabled, and the user ${rights}.`);
}

async function existenceCheck(
  { accounts, records }: Repositories,
  tombstone: Tombstone | null,
  isLive: boolean,
): Promise<AbsenceCheck> {
  if (isLive) return ok("object", "The object exists.");
  if (tombstone === null) {
    const finding = "No object has this UUID, and no deletion of one is known.";
    return cause("object", finding, "Check the UUID. The device may not have pushed the object yet.");
  }
  const { deletedAt, deletedBy, kind } = tombstone;
  const account = deletedBy === null ? null : (await accounts.find({ id: deletedBy }, [])).account;
  const by = deletedBy === null ? "" : ` by ${account?.loginName ?? `the user ${deletedBy}`}`;
  const [synced] = await records.get(syncDeletionKind, [tombstone.uuid]);
  const isThis = synced?.value.version === tombstone.version;
  const through = isThis ? `, through the schema ${synced.value.schema}${deviceText(synced.value)}` : "";
  const deleted = `The object was deleted on ${new Date(deletedAt).toISOString()}${by}${through}`;
  return kind === "recycled"
    ? cause("object", `${deleted}. It is in the recycle bin.`, "Restore it, if the deletion was a mistake.")
    : cause("object", `${deleted}, permanently.`, null);
}

function deviceText({ deviceId }: SyncDeletion): string {
  return deviceId === null ? "" : ` on the device ${deviceId}`;
}

interface ClassInput {
  readonly className: string;
  readonly schema: SyncSchema;
  readonly model: Model;
  readonly principal: Principal;
}

/** Whether the schema has the class, and the user the rights to the class and its fields. */
function classChecks({ className, schema, model, principal }: ClassInput): AbsenceCheck[] {
  const covered = coveredFields(schema, model).get(className);
  if (covered === undefined) {
    const finding = `The schema does not have the class ${className} of the object.`;
    return [cause("class", finding, "Add the class to the schema.")];
  }
  const classCheck = ok("class", `The schema has the class ${className}.`);
  const modelClass = model.find(className);
  if (modelClass === undefined || !mayOnClass(principal, modelClass, "read")) {
    const finding = `The user has no right to read the class ${className}.`;
    return [classCheck, cause("rights", finding, "Give a group of the user the right to read the class.")];
  }
  const visibleAttributes = model.as(principal).find(className)?.attributes;
  const hidden = [...covered.keys()].filter((name) => visibleAttributes?.has(name) !== true);
  if (hidden.length === 0) return [classCheck, ok("rights", "The user can read the class and all its fields.")];
  return [classCheck, ok("rights", `The user can read the class, without the fields ${hidden.join(", ")}.`)];
}

/** `null` if the filter of the schema does not fit the model. */
async function viewOf(
  context: AdministratorContext,
  principal: Principal,
  required: Parameters<typeof schemaView>[1],
): Promise<SchemaView | null> {
  try {
    return await schemaView({ ...context, principal }, required);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 716) return null;
    throw error;
  }
}

function readersCheck(object: StoredObject, principal: Principal): AbsenceCheck {
  if (object.readers === null) return ok("readers", "The object has no list of readers.");
  const principals = principal.administrator ? null : new Set([principal.userId, ...principal.groups]);
  if (isVisible(object, { classes: null, principals }))
    return ok("readers", "The readers of the object admit the user.");
  const finding = "The readers of the object are neither the user nor a group of the user.";
  return cause("readers", finding, "Add the user or a group of the user to the readers.");
}

async function filterCheck(
  { objects }: Repositories,
  view: SchemaView | null,
  { id, className }: StoredObject,
): Promise<AbsenceCheck> {
  if (view === null) {
    const finding = "The filter of the schema does not fit the classes: devices get 716.";
    return cause("filter", finding, "Correct the filter, and store the schema again.");
  }
  if (view.filter === null) return ok("filter", "The schema has no filter.");
  const itself: Filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: [id] };
  const filter: Filter = { kind: "all", filters: [itself, view.filter] };
  if ((await objects.match({ classes: [className], filter }, seesAll, 1)).length > 0)
    return ok("filter", "The filter of the schema admits the object.");
  return cause("filter", "The filter of the schema excludes the object.", "Change the object or the filter.");
}
