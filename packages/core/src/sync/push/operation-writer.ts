import { isUuid, isVisible, type JsonValue, ServiceError, type StoredObject, UuidTakenError } from "@sallyport/storage";
import {
  changeAccepted,
  createAccepted,
  type GivenAttributes,
  isUserClass,
  isFileClass,
  prepareAllAttributes,
  deleteObject,
} from "../../objects/index.ts";
import { failingAs, syncDeletionKind } from "./operation-results.ts";
import { decided, outcomeOf, type PlannedPut, planPut, type UndecidedFields, unknownField } from "./plan-put.ts";
import type { SchemaView } from "../schema-view.ts";
import type {
  DeleteOperation,
  SyncDeleteOutcome,
  PutOperation,
  SyncPutOutcome,
  SyncOperation,
  WrittenOperation,
} from "./sync-operation.ts";
import { liveTargets, missingTarget, type ShownTargets, shownTargets } from "./sync-targets.ts";
import { executeMacro, type MacroServices } from "../../execution/index.ts";
import type { PullServices } from "../pull-changes.ts";
import type { SessionContext, Uses } from "../../request/index.ts";

/** Services of pushes. A macro can decide about conflicts. */
export interface PushServices extends MacroServices, PullServices {}

export interface PushContext extends SessionContext, Uses<PushServices> {}

/** How operations are written. */
export interface Writes {
  readonly view: SchemaView;
  /** Whether hooks concern the classes of the schema. */
  readonly isHooked: boolean;
  /** Milliseconds to keep what is known about deletions; `null` for ever. */
  readonly lifetime: number | null;
}

type Result = WrittenOperation | ServiceError;

/** Writes operations in one transaction. */
export class OperationWriter {
  constructor(
    /** Of an open transaction. */
    private readonly context: PushContext,
    private readonly writes: Writes,
  ) {}

  /** Writes one operation. Errors: those of the write, 332, 334, 609, 610, 404, 720; see `findingTaken`. */
  async write(operation: SyncOperation): Promise<WrittenOperation> {
    try {
      return await (operation.op === "put" ? this.put(operation) : this.delete(operation));
    } catch (error) {
      // The object has just become invisible.
      throw error instanceof ServiceError && error.code === 304 ? new ServiceError(334, { cause: error }) : error;
    }
  }

  /**
   * Writes puts of different objects, none of which refers to another, with few statements. All or nothing: throws if
   * one cannot be written. Results of refused operations are errors; `null` for an operation to be written alone.
   */
  async writeTogether(puts: readonly PutOperation[]): Promise<readonly (Result | null)[]> {
    const { context, writes } = this;
    const { view } = writes;
    const live = await liveTargets(
      context,
      view,
      puts.map(({ uuid }) => uuid),
    );
    const known = puts.flatMap((put): [PutOperation, StoredObject][] => {
      const object = live.get(put.uuid);
      return object === undefined || object === "outside" ? [] : [[put, object]];
    });
    const shown = await shownTargets(context, view, known);
    const plans = await Promise.all(
      puts.map(async (put) => {
        const unknown = unknownField(put, view);
        if (unknown !== null) return unknown;
        const target = live.get(put.uuid) ?? null;
        if (target === "outside") return new ServiceError(334);
        if (target === null && put.version > 0) return missingTarget(context, view, put.uuid, 610);
        return this.plan(put, target, shown);
      }),
    );
    const results = plans.map((plan): Result | null =>
      plan instanceof ServiceError ? plan : this.resultWithoutWrite(plan),
    );
    const together = plans.flatMap((plan, index) =>
      plan instanceof ServiceError || results[index] !== null || this.isAlone(plan) ? [] : { plan, index },
    );
    const { model, visibility } = view;
    const prepared = await prepareAllAttributes(
      context,
      together.map(({ plan }) => ({ given: plan.given, modelClass: plan.modelClass, whole: plan.object === null })),
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
          return { className, uuid: (puts[index] as PutOperation).uuid, attributes, links };
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
      results[index] = this.resultOf(plan, inserted[at] as StoredObject);
    for (const [at, { plan, index }] of changed.entries())
      results[index] = this.resultOf(plan, updated[at] as StoredObject);
    return results;
  }

  private async put(put: PutOperation): Promise<WrittenOperation<SyncPutOutcome>> {
    const { context, writes } = this;
    const { view } = writes;
    const unknown = unknownField(put, view);
    if (unknown !== null) throw unknown;
    const object = await this.lockedTarget(put, 610);
    if (object === null && put.version > 0) throw await missingTarget(context, view, put.uuid, 610);
    if (object === null) await this.refuseTakenUuid(put.uuid);
    const shown = await shownTargets(context, view, object === null ? [] : [[put, object]]);
    const planned = planPut(context, view, put, object, shown);
    const plan = planned.undecided === null ? planned : await this.decide(put, planned, planned.undecided);
    const done = this.resultWithoutWrite(plan);
    if (done !== null) return done;
    return this.resultOf(plan, await this.stored(put, plan));
  }

  private async delete({ uuid }: DeleteOperation): Promise<WrittenOperation<SyncDeleteOutcome>> {
    const { context, writes } = this;
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
  private async lockedTarget({ uuid }: PutOperation, deletedCode: 610): Promise<StoredObject | null> {
    const { context, writes } = this;
    const read = async () => [...(await liveTargets(context, writes.view, [uuid])).values()][0] ?? null;
    const before = await read();
    if (before === "outside") throw new ServiceError(334);
    if (before === null) return null;
    await context.r.objects.lock([before.id]);
    const now = await read();
    if (now === "outside") throw new ServiceError(334);
    if (now === null) throw await missingTarget(context, writes.view, uuid, deletedCode);
    return now;
  }

  /**
   * 610 for the UUID of an object that the caller could read before its deletion, 334 for that of any other.
   * `UuidTakenError` for an object that was created since the caller's was looked up.
   */
  private async refuseTakenUuid(uuid: string): Promise<void> {
    const { context, writes } = this;
    const everything = { ...writes.view, visibility: { classes: null, principals: null } };
    const [live, tombstone] = await Promise.all([
      context.r.objects.get({ uuids: [uuid] }, everything.visibility),
      context.r.deletion.find({ kind: "uuid", uuid }, everything.visibility),
    ]);
    if (live.some((object) => isVisible(object, writes.view.visibility))) throw new UuidTakenError();
    if (live.length > 0 || tombstone !== null) throw await missingTarget(context, writes.view, uuid, 610);
  }

  private plan(put: PutOperation, object: StoredObject | null, shown: ShownTargets): PlannedPut | ServiceError {
    try {
      return planPut(this.context, this.writes.view, put, object, shown);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private async decide(put: PutOperation, plan: PlannedPut, undecided: UndecidedFields): Promise<PlannedPut> {
    const { macro, base, mine, theirs } = undecided;
    const className = plan.modelClass.definition.name;
    const input = { className, uuid: put.uuid, base, mine, theirs };
    try {
      const { result } = await executeMacro(this.context, macro, { input, skipCheck: false });
      return decided(plan, undecided, result);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 401) throw error;
      // The client has not chosen the macro, so the refusal must not be final.
      throw new ServiceError(710, { cause: error, detail: `The user cannot execute the macro ${macro}.` });
    }
  }

  /** Writes the planned fields and runs hooks. Returns the object as it is then. */
  private async stored(put: PutOperation, { modelClass, object, given }: PlannedPut): Promise<StoredObject> {
    const { context, writes } = this;
    const { model, visibility } = writes.view;
    const written =
      object === null
        ? (await createAccepted(context, given, { model, visibility, modelClass, uuid: put.uuid })).created
        : (
            await changeAccepted(
              context,
              { given, expectedVersions: [object.version] },
              { id: object.id, modelClass, readScope: { model, visibility } },
            )
          ).changed;
    // Hooks can have changed it again.
    const [now = written] = writes.isHooked ? await context.r.objects.get([written.id], visibility) : [];
    return now;
  }

  /** The result of a put with nothing to do; `null` if there is something. */
  private resultWithoutWrite({
    object,
    given,
    merged,
    conflicts,
    undecided,
    isComputable,
  }: PlannedPut): WrittenOperation<SyncPutOutcome> | null {
    if (object === null || undecided !== null || Object.keys(given).length > 0) return null;
    return { outcome: outcomeOf(object, merged, conflicts), object: isComputable ? null : object };
  }

  private resultOf(
    { merged, conflicts, isComputable }: PlannedPut,
    object: StoredObject,
  ): WrittenOperation<SyncPutOutcome> {
    const isKnown = isComputable && !this.writes.isHooked;
    return { outcome: outcomeOf(object, merged, conflicts), object: isKnown ? null : object };
  }

  /** Whether the write takes more than the change of one object. */
  private isAlone({ modelClass, undecided }: PlannedPut): boolean {
    const { model } = this.writes.view;
    const { name } = modelClass.definition;
    return undecided !== null || this.writes.isHooked || isUserClass(model, name) || isFileClass(model, name);
  }
}

/** How often another request can take the UUID of a new object first. */
const attempts = 3;

/**
 * Writes one operation, and again if another request creates its object at the same time: the second attempt merges with
 * that object. 334 for the UUID of an object whose tombstone is forgotten.
 */
export async function findingTaken<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof UuidTakenError)) throw error;
      if (attempt === attempts) throw new ServiceError(334, { cause: error });
    }
  }
}

/** The UUIDs that the fields name. */
export function namedUuids(fields: GivenAttributes): string[] {
  return Object.values(fields)
    .flatMap((value) => (Array.isArray(value) ? (value as readonly JsonValue[]) : value))
    .flatMap((value) => {
      const text = typeof value === "object" && value !== null && "~UUID" in value ? value["~UUID"] : value;
      return typeof text === "string" && isUuid(text) ? text.toLowerCase() : [];
    });
}
