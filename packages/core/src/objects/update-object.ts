import { type ObjectId, refusedAs, ServiceError, type SingleReference, type StoredObject } from "@sallyport/storage";
import { mayOnClass, type ModelClass, visibilityOf } from "../model/index.ts";
import { inTransaction, withCurrentModel } from "../request/index.ts";
import type { InputAttributes } from "./attributes/accept-attributes.ts";
import { type FoundObject, cacheClass, visibleObject } from "./get-object.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { type HookedSave, hooksOfSaves, type SaveHooks } from "./hooks/save-hooks.ts";
import { planSerialization } from "./serialization/object-plan.ts";
import { serializeWritten } from "./serialization/object-serializer.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import type { ResolvedAttributes } from "./attributes/resolve-links.ts";
import type { ReadScope } from "./serialization/serialization-source.ts";
import type { Serialization } from "./serialization/serialization.ts";
import { writeChange, type WritingOfClass } from "./write-object.ts";
import { missingClass, withoutRight } from "./object-findings.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";

export interface UpdateObjectInput {
  readonly attributes: InputAttributes;
  /** Accepted versions of the object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
  readonly serialization: Serialization | undefined;
}

/**
 * Changes the given attributes. 304: the object never existed or is invisible. 610: it is deleted. 404: no right to
 * write. 307: invalid attributes. 502: a file name that is not accepted. 713: another version, a lock of another session, or
 * the storage refuses the write. With a cached class and no hooks, the update skips the read.
 */
export function updateObject(
  context: ObjectContext,
  reference: SingleReference,
  input: UpdateObjectInput,
): Promise<FoundObject> {
  const { r, database, principal } = context;
  return withCurrentModel(context, async (whole) => {
    const model = whole.as(principal);
    const readScope = { model, visibility: visibilityOf(principal, model) };
    if (reference.kind === "id") {
      const className = database.classes.of(reference.id);
      // Hooks need the object, so it is read anyway.
      const isTried = className !== undefined && (await hooksOfSaves(context, [className], readScope)) === null;
      const changed = isTried
        ? await tryToChange(context, { id: reference.id, className }, readScope, input)
        : undefined;
      if (changed !== undefined) return changed;
    }
    const object = await visibleObject(r, reference, readScope.visibility, 610);
    cacheClass(context, object);
    return changeObject(context, object, readScope, input);
  });
}

/** `undefined` if the change is refused. Only a read can tell which reason the caller may know. */
async function tryToChange(...parameters: Parameters<typeof changeObject>): Promise<FoundObject | undefined> {
  const [{ unit }] = parameters;
  try {
    return await unit.attempt(() => changeObject(...parameters));
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}

async function changeObject(
  context: ObjectContext,
  { id, className }: Pick<StoredObject, "id" | "className">,
  readScope: ReadScope,
  { attributes: input, expectedVersions, serialization }: UpdateObjectInput,
): Promise<FoundObject> {
  const { principal } = context;
  const { model, visibility } = readScope;
  const modelClass = model.find(className);
  if (modelClass === undefined || visibility.classes?.has(className) === false) throw missingClass(model, className);
  if (!mayOnClass(principal, modelClass, "write")) throw withoutRight("write", modelClass);
  const plan = planSerialization(serialization, { model, visibility, className });
  const target = { id, modelClass, readScope };
  const { changed, targets } = await changeAccepted(context, { attributes: input, expectedVersions }, target);
  const object = await serializeWritten(hookedSource(context, readScope), plan, changed, targets);
  return { object, version: changed.version };
}

/** Changes an object that the caller may change, with its hooks. Errors: see `updateObject`. */
export async function changeAccepted(
  context: ObjectContext,
  change: AttributeChange,
  target: Omit<ChangeTarget, "by">,
): Promise<Changed> {
  const { model, visibility } = target.readScope;
  const className = target.modelClass.definition.name;
  // The class must still be the one of the prepared attributes.
  const by = { session: context.sessionDigest, modelGeneration: model.generation, className, visibility };
  const hooks = await hooksOfSaves(context, [className], target.readScope);
  return hooks === null
    ? changeAlone(context, change, { ...target, by })
    : changeWithHooks(hooks, context, change, { ...target, by });
}

async function changeAlone(
  context: ObjectContext,
  { attributes: input, expectedVersions }: AttributeChange,
  { id, modelClass, readScope, by }: ChangeTarget,
): Promise<Changed> {
  const { attributes, links, targets } = await prepareAttributes(context, input, {
    ...readScope,
    modelClass,
    isComplete: false,
  });
  return {
    changed: await writeChange(context, { id, attributes, links, expectedVersions }, by, readScope.model),
    targets,
  };
}

export interface AttributeChange {
  readonly attributes: InputAttributes;
  readonly expectedVersions: readonly number[] | null;
}

export interface ChangeTarget {
  readonly id: ObjectId;
  readonly modelClass: ModelClass;
  readonly readScope: ReadScope;
  readonly by: WritingOfClass;
}

export interface Changed {
  readonly changed: StoredObject;
  readonly targets: readonly StoredObject[];
}

/** Changes an object and runs hooks in one transaction. Locks the object before the hooks see it. */
function changeWithHooks(
  hooks: SaveHooks,
  context: ObjectContext,
  { attributes: input, expectedVersions }: AttributeChange,
  { id, modelClass, readScope, by }: ChangeTarget,
): Promise<Changed> {
  const { className } = by;
  const writing = hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      await inside.r.objects.lock([id]);
      const base = await visibleObject(inside.r, { kind: "id", id }, readScope.visibility, 610);
      if (base.className !== className) throw new ServiceError(304);
      if (expectedVersions !== null && !expectedVersions.includes(base.version))
        throw new ServiceError(713, { detail: "The object has another version." });
      const prepared = await prepareAttributes(inside, input, { ...readScope, modelClass, isComplete: false });
      const save: HookedSave = { className, base, restoring: false, input, prepared };
      const [{ attributes, links, targets }] = (await hooks.before(inside, [save])) as [ResolvedAttributes];
      // The object is locked and its version checked; only hooks can have changed it.
      const changed = await writeChange(inside, { id, attributes, links, expectedVersions: null }, by, readScope.model);
      await hooks.after(inside, [save], [changed]);
      return { changed, targets };
    }),
  );
  return refusedAs(713, writing);
}
