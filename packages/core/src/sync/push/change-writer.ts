import {
  isUuid,
  isVisible,
  type JsonValue,
  seesAll,
  ServiceError,
  type StoredObject,
  UuidTakenError,
} from "@sallyport/storage";
import {
  changeAccepted,
  createAccepted,
  type InputAttributes,
  isUserClass,
  isFileClass,
  prepareAllAttributes,
  deleteObject,
} from "../../objects/index.ts";
import { failingAs, syncDeletionKind } from "./change-results.ts";
import { decided, outcomeOf, type PlannedPut, planPut, type UndecidedFields, unknownField } from "./plan-put.ts";
import type { SchemaView } from "../schema-view.ts";
import type {
  DeleteChange,
  SyncDeleteOutcome,
  PutChange,
  SyncPutOutcome,
  DeviceChange,
  WrittenChange,
} from "./device-change.ts";
import { liveTargets, missingTarget, type ShownTargets, shownTargets } from "./sync-targets.ts";
import { executeMacro, type MacroServices } from "../../execution/index.ts";
import type { PullServices } from "../pull-changes.ts";
import type { SessionContext, Uses } from "../../request/index.ts";

/** Services of pushes. A macro can decide about conflicts. */
export interface PushServices extends MacroServices, PullServices {}

export interface PushContext extends SessionContext, Uses<PushServices> {}

/** How changes are written. */
export interface Writes {
  readonly view: SchemaView;
  /** Whether hooks concern the classes of the schema. */
  readonly isHooked: boolean;
  /** Milliseconds to keep what is known about deletions; `null` for ever. */
  readonly lifetime: number | null;
}

type Result = WrittenChange | ServiceError;

/** A transaction that changes are written in. */
export interface ChangeWriter {
  readonly context: PushContext;
  readonly writes: Writes;
}

/** Writes one change. Errors: those of the write, 332, 334, 609, 610, 404, 720; see `findingTaken`. */
export async function writeDeviceChange(writer: ChangeWriter, change: DeviceChange): Promise<WrittenChange> {
  try {
    return await (change.op === "put" ? put(writer, change) : remove(writer, change));
  } catch (error) {
    // The object has just become invisible.
    throw error instanceof ServiceError && error.code === 304 ? new ServiceError(334, { cause: error }) : error;
  }
}

/**
 * Writes puts of different objects, none of which refers to another, with few statements. All or nothing: throws if
 * one cannot be written. Results of refused changes are errors; `null` for a change to be written alone.
 */
export async function writeTogether(
  writer: ChangeWriter,
  puts: readonly PutChange[],
): Promise<readonly (Result | null)[]> {
  const { context, writes } = writer;
  const { view } = writes;
  const live = await liveTargets(
    context,
    view,
    puts.map(({ uuid }) => uuid),
  );
  const existing = puts.flatMap((each): [PutChange, StoredObject][] => {
    const object = live.get(each.uuid);
    return object === undefined || object === "outside" ? [] : [[each, object]];
  });
  const shown = await shownTargets(context, view, existing);
  const plans = await Promise.all(
    puts.map(async (each) => {
      const unknown = unknownField(each, view);
      if (unknown !== null) return unknown;
      const target = live.get(each.uuid) ?? null;
      if (target === "outside") return new ServiceError(334);
      if (target === null && each.version > 0) return missingTarget(context, view, each.uuid, 610);
      return planOf(writer, each, target, shown);
    }),
  );
  const results = plans.map((plan): Result | null => (plan instanceof ServiceError ? plan : resultWithoutWrite(plan)));
  const together = plans.flatMap((plan, index) =>
    plan instanceof ServiceError || results[index] !== null || isAlone(plan, writes) ? [] : { plan, index },
  );
  const { model, visibility } = view;
  const prepared = await prepareAllAttributes(
    context,
    together.map(({ plan }) => ({ input: plan.input, modelClass: plan.modelClass, isComplete: plan.object === null })),
    view,
  );
  const ready = together.flatMap(({ plan, index }, at) => {
    const each = prepared[at];
    if (each === undefined || each instanceof ServiceError) {
      results[index] = each ?? null;
      return [];
    }
    return { plan, index, attributes: each.attributes, links: each.links };
  });
  const by = { session: context.sessionDigest, modelGeneration: model.generation, visibility };
  const created = ready.filter(({ plan }) => plan.object === null);
  const changed = ready.filter(({ plan }) => plan.object !== null);
  const { objects } = context.r;
  const [inserted, updated] = [
    await objects.insert(
      created.map(({ plan, index, attributes, links }) => {
        const className = plan.modelClass.definition.name;
        return { className, uuid: (puts[index] as PutChange).uuid, attributes, links };
      }),
      by,
    ),
    await objects.update(
      changed.map(({ plan, attributes, links }) => {
        const { id, version } = plan.object as StoredObject;
        return { id, attributes, links, expectedVersions: [version] };
      }),
      by,
    ),
  ];
  for (const [at, { plan, index }] of created.entries())
    results[index] = resultOf(plan, inserted[at] as StoredObject, writes);
  for (const [at, { plan, index }] of changed.entries())
    results[index] = resultOf(plan, updated[at] as StoredObject, writes);
  return results;
}

async function put(writer: ChangeWriter, change: PutChange): Promise<WrittenChange<SyncPutOutcome>> {
  const { context, writes } = writer;
  const { view } = writes;
  const unknown = unknownField(change, view);
  if (unknown !== null) throw unknown;
  const { uuid, version } = change;
  const object = await lockedTarget(writer, uuid);
  if (object === null && version > 0) throw await missingTarget(context, view, uuid, 610);
  if (object === null) await refuseTakenUuid(writer, uuid);
  const shown = await shownTargets(context, view, object === null ? [] : [[change, object]]);
  const planned = planPut(context, view, change, object, shown);
  const plan = planned.undecided === null ? planned : await decide(context, uuid, planned, planned.undecided);
  const done = resultWithoutWrite(plan);
  if (done !== null) return done;
  return resultOf(plan, await stored(writer, uuid, plan), writes);
}

async function remove(
  { context, writes }: ChangeWriter,
  { uuid }: DeleteChange,
): Promise<WrittenChange<SyncDeleteOutcome>> {
  const { r, principal, session } = context;
  const { view, lifetime } = writes;
  const [target = null] = (await liveTargets(context, view, [uuid])).values();
  if (target === "outside") throw new ServiceError(334);
  if (target === null) throw await missingTarget(context, view, uuid, 609);
  const reference = { kind: "id", id: target.id } as const;
  await deleteObject(context, reference, { recycled: false, expectedVersions: null });
  const tombstone = await r.deletion.find(reference, view.visibility);
  const version = tombstone?.version ?? target.version + 1;
  const deletion = { schema: view.schema.name, userId: principal.userId, deviceId: session.deviceId, version };
  await failingAs(720, r.records.put(syncDeletionKind, uuid, deletion, { lifetime }));
  return { outcome: { uuid, version }, object: null };
}

/** Locks the object and reads it as it is then. `null` if there is none. */
async function lockedTarget({ context, writes }: ChangeWriter, uuid: string): Promise<StoredObject | null> {
  const { view } = writes;
  const [before = null] = (await liveTargets(context, view, [uuid])).values();
  if (before === "outside") throw new ServiceError(334);
  if (before === null) return null;
  await context.r.objects.lock([before.id]);
  const [now = null] = (await liveTargets(context, view, [uuid])).values();
  if (now === "outside") throw new ServiceError(334);
  if (now === null) throw await missingTarget(context, view, uuid, 610);
  return now;
}

/**
 * 610 for the UUID of an object that the caller could read before its deletion, 334 for that of any other.
 * `UuidTakenError` for an object that was created since the caller's was looked up.
 */
async function refuseTakenUuid({ context, writes }: ChangeWriter, uuid: string): Promise<void> {
  const [live, tombstone] = await Promise.all([
    context.r.objects.get({ uuids: [uuid] }, seesAll),
    context.r.deletion.find({ kind: "uuid", uuid }, seesAll),
  ]);
  if (live.some((object) => isVisible(object, writes.view.visibility))) throw new UuidTakenError();
  if (live.length > 0 || tombstone !== null) throw await missingTarget(context, writes.view, uuid, 610);
}

function planOf(
  { context, writes }: ChangeWriter,
  change: PutChange,
  object: StoredObject | null,
  shown: ShownTargets,
): PlannedPut | ServiceError {
  try {
    return planPut(context, writes.view, change, object, shown);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

async function decide(
  context: PushContext,
  uuid: string,
  plan: PlannedPut,
  undecided: UndecidedFields,
): Promise<PlannedPut> {
  const { macro, base, mine, theirs } = undecided;
  const className = plan.modelClass.definition.name;
  const input = { className, uuid, base, mine, theirs };
  try {
    const { result } = await executeMacro(context, macro, { input, skipCheck: false });
    return decided(plan, undecided, result);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 401) throw error;
    // The client has not chosen the macro, so the refusal must not be final.
    throw new ServiceError(710, { cause: error, detail: `The user cannot execute the macro ${macro}.` });
  }
}

/** Writes the planned fields and runs hooks. Returns the object as it is then. */
async function stored(
  { context, writes }: ChangeWriter,
  uuid: string,
  { modelClass, object, input }: PlannedPut,
): Promise<StoredObject> {
  const { model, visibility } = writes.view;
  const written =
    object === null
      ? (await createAccepted(context, input, { model, visibility, modelClass, uuid })).created
      : (
          await changeAccepted(
            context,
            { attributes: input, expectedVersions: [object.version] },
            { id: object.id, modelClass, readScope: { model, visibility } },
          )
        ).changed;
  // Hooks can have changed it again.
  const [now = written] = writes.isHooked ? await context.r.objects.get([written.id], visibility) : [];
  return now;
}

/** The result of a put with nothing to do; `null` if there is something. */
function resultWithoutWrite({
  object,
  input,
  merged,
  conflicts,
  undecided,
  isComputable,
}: PlannedPut): WrittenChange<SyncPutOutcome> | null {
  if (object === null || undecided !== null || Object.keys(input).length > 0) return null;
  return { outcome: outcomeOf(object, merged, conflicts), object: isComputable ? null : object };
}

function resultOf(
  { merged, conflicts, isComputable }: PlannedPut,
  object: StoredObject,
  { isHooked }: Writes,
): WrittenChange<SyncPutOutcome> {
  const isKnown = isComputable && !isHooked;
  return { outcome: outcomeOf(object, merged, conflicts), object: isKnown ? null : object };
}

/** Whether the write takes more than the change of one object. */
function isAlone({ modelClass, undecided }: PlannedPut, { view: { model }, isHooked }: Writes): boolean {
  const { name } = modelClass.definition;
  return undecided !== null || isHooked || isUserClass(model, name) || isFileClass(model, name);
}

/** How often another request can take the UUID of a new object first. */
const attempts = 3;

/**
 * Writes one change, and again if another request creates its object at the same time: the second attempt merges with
 * that object. 334 for the UUID of an object whose tombstone is forgotten.
 */
export async function findingTaken<T>({ unit }: PushContext, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await unit.attempt(write);
    } catch (error) {
      if (!(error instanceof UuidTakenError)) throw error;
      if (attempt === attempts) throw new ServiceError(334, { cause: error });
    }
  }
}

/** The UUIDs that the fields name. */
export function namedUuids(fields: InputAttributes): string[] {
  return Object.values(fields)
    .flatMap((value) => (Array.isArray(value) ? (value as readonly JsonValue[]) : value))
    .flatMap((value) => {
      const text = typeof value === "object" && value !== null && "~UUID" in value ? value["~UUID"] : value;
      return typeof text === "string" && isUuid(text) ? text.toLowerCase() : [];
    });
}
