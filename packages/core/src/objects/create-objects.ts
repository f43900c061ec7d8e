import {
  isRefusedByStorage,
  type NewObject,
  OutdatedModelError,
  refusedAs,
  type SerializedObject,
  ServiceError,
  type StoredObject,
  type Writing,
} from "@sallyport/storage";
import { countItems, requestLimits, withCurrentModel } from "../request/index.ts";
import type { InputAttributes } from "./attributes/accept-attributes.ts";
import { acceptCreation, createObject, type NewObjectsOf } from "./create-object.ts";
import { cacheClass } from "./get-object.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { hooksOfSaves } from "./hooks/save-hooks.ts";
import { type ObjectPlan, planSerialization } from "./serialization/object-plan.ts";
import { serializeAllWritten } from "./serialization/object-serializer.ts";
import { prepareAllAttributes } from "./prepare-attributes.ts";
import type { Serialization } from "./serialization/serialization.ts";
import { isUserClass } from "./user-names.ts";

export interface CreateObjectsInput {
  readonly className: string;
  /** The attributes of each object, or what is wrong with them. */
  readonly items: readonly (InputAttributes | ServiceError)[];
  readonly serialization: Serialization | undefined;
  /** Whether no further object is created. */
  readonly isLate: () => boolean;
}

/** The new object, or why there is none. */
export type CreationOutcome = SerializedObject | ServiceError;

/**
 * Creates objects of a class. Each has a result of its own, in order: the errors of `createObject`, 800 beyond a request rate, or
 * 706 when it is late. They are stored by one statement, unless hooks, names of users or a refusal require more. Throws what
 * concerns all of them. In an open transaction it also throws what a repetition could escape, so that all is undone.
 */
export async function createObjects(
  context: ObjectContext,
  input: CreateObjectsInput,
): Promise<readonly CreationOutcome[]> {
  const { className, serialization } = input;
  const counted = { ...input, items: await withinRate(context, input.items) };
  return withCurrentModel(context, async (model) => {
    const to = acceptCreation(context, model, className);
    const plan = planSerialization(serialization, { ...to, className });
    const hooks = await hooksOfSaves(context, [className], to);
    if (hooks !== null) return hooks.prepared(context, (ready) => oneByOne(ready, counted));
    return isUserClass(to.model, className) ? oneByOne(context, counted) : together(context, counted, { to, plan });
  });
}

/** Replaces what is beyond a request rate by its refusal. */
async function withinRate(context: ObjectContext, items: CreateObjectsInput["items"]): Promise<typeof items> {
  const { joined } = context.unit;
  const { rates } = await requestLimits(context);
  const { allowed, refusal } = await countItems(context, rates, { count: items.length, together: joined });
  if (refusal === null) return items;
  if (joined) throw refusal;
  return items.map((each, index) => (index < allowed ? each : refusal));
}

async function oneByOne(
  context: ObjectContext,
  { className, items, serialization, isLate }: CreateObjectsInput,
): Promise<readonly CreationOutcome[]> {
  const outcomes: CreationOutcome[] = [];
  let ending: ServiceError | null = null;
  for (const each of items) {
    if (each instanceof ServiceError || ending !== null) {
      outcomes.push(ending ?? (each as ServiceError));
      continue;
    }
    try {
      if (isLate()) throw late();
      outcomes.push((await context.unit.attempt(() => createObject(context, className, each, serialization))).object);
    } catch (error) {
      const isShared = concernsAll(error, context);
      if (isShared && (context.unit.joined || outcomes.every((outcome) => outcome instanceof ServiceError)))
        throw error;
      const failure = failureOf(error);
      if (isShared) ending = failure;
      outcomes.push(failure);
    }
  }
  return outcomes;
}

/** An object that can be stored, with its place in the request. */
interface ReadyObject {
  readonly index: number;
  readonly object: NewObject;
}

interface Insertion {
  readonly context: ObjectContext;
  readonly by: Writing;
  readonly isLate: () => boolean;
  /** The results so far, by the place in the request. */
  readonly done: Map<number, StoredObject | ServiceError>;
}

async function together(
  context: ObjectContext,
  { className, items, isLate }: CreateObjectsInput,
  { to, plan }: { readonly to: NewObjectsOf; readonly plan: ObjectPlan },
): Promise<readonly CreationOutcome[]> {
  const done: Insertion["done"] = new Map();
  const accepted: { readonly index: number; readonly attributes: InputAttributes }[] = [];
  for (const [index, each] of items.entries())
    if (each instanceof ServiceError) done.set(index, each);
    else accepted.push({ index, attributes: each });
  const { modelClass } = to;
  const prepared = await prepareAllAttributes(
    context,
    accepted.map(({ attributes }) => ({ input: attributes, modelClass, isComplete: true })),
    to,
  );
  const ready = accepted.flatMap(({ index }, at): ReadyObject[] => {
    const each = prepared[at] as (typeof prepared)[number];
    if (!(each instanceof ServiceError))
      return [{ index, object: { className, attributes: each.attributes, links: each.links } }];
    done.set(index, each);
    return [];
  });
  const by = { session: context.sessionDigest, modelGeneration: to.model.generation };
  await insertReady({ context, by, isLate, done }, ready);
  const created = [...done.values()].filter(isStored);
  for (const each of created) cacheClass(context, each);
  const outputs = await serializeAllWritten(hookedSource(context, to), plan, created);
  const written = new Map(created.map((each, at) => [each, outputs[at] as SerializedObject]));
  return items.map((_, index) => {
    const each = done.get(index) as StoredObject | ServiceError;
    return each instanceof ServiceError ? each : (written.get(each) as SerializedObject);
  });
}

/** Stores the objects. What was created is told, even if the rest fails. */
async function insertReady(insertion: Insertion, ready: readonly ReadyObject[]): Promise<void> {
  const { context, done } = insertion;
  try {
    await insertAll(insertion, ready);
  } catch (error) {
    const hasCreated = [...done.values()].some(isStored);
    if (context.unit.joined || !hasCreated) throw error;
    for (const { index } of ready) if (!done.has(index)) done.set(index, failureOf(error));
  }
}

/** Halves a list that cannot be stored as a whole, down to the object that is refused. */
async function insertAll(insertion: Insertion, ready: readonly ReadyObject[]): Promise<void> {
  const { context, by, isLate, done } = insertion;
  if (ready.length === 0) return;
  if (isLate()) throw late();
  const objects = ready.map(({ object }) => object);
  try {
    const stored = await context.unit.attempt(() => refusedAs(713, context.r.objects.insert(objects, by)));
    for (const [at, { index }] of ready.entries()) done.set(index, stored[at] as StoredObject);
  } catch (error) {
    if (concernsAll(error, context)) throw error;
    const [only, ...others] = ready;
    if (only !== undefined && others.length === 0) return void done.set(only.index, failureOf(error));
    const middle = Math.ceil(ready.length / 2);
    await insertAll(insertion, ready.slice(0, middle));
    await insertAll(insertion, ready.slice(middle));
  }
}

/** Codes of a database that does not serve the next object either. */
const ofDatabase: ReadonlySet<number> = new Set([607, 704, 705, 706]);

/** Whether a failure is not that of one object, or must undo an open transaction. */
function concernsAll(error: unknown, { unit }: ObjectContext): boolean {
  if (!(error instanceof ServiceError) || error instanceof OutdatedModelError) return true;
  if (unit.joined && (error.status >= 500 || isRefusedByStorage(error))) return true;
  return ofDatabase.has(error.code);
}

function isStored(result: StoredObject | ServiceError): result is StoredObject {
  return !(result instanceof ServiceError);
}

function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
}

function late(): ServiceError {
  return new ServiceError(706, { retryAfter: 1, detail: "The request timed out." });
}
