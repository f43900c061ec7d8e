import { type NewObject, refusedAs, ServiceError, type StoredObject } from "@sallyport/storage";
import { mayOnClass, type Model, visibilityOf } from "../model/index.ts";
import { inTransaction, type SessionContext, withCurrentModel } from "../request/index.ts";
import { type InputAttributes, requireMandatory } from "./attributes/accept-attributes.ts";
import { isFileClass } from "./files/file-class.ts";
import { type FoundObject, cacheClass } from "./get-object.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { type HookedSave, hooksOfSaves, type SaveHooks } from "./hooks/save-hooks.ts";
import { planSerialization } from "./serialization/object-plan.ts";
import { serializeWritten } from "./serialization/object-serializer.ts";
import { type PreparationTarget, prepareAttributes } from "./prepare-attributes.ts";
import type { ResolvedAttributes } from "./attributes/resolve-links.ts";
import type { Serialization } from "./serialization/serialization.ts";
import { writeNew } from "./write-object.ts";
import { missingClass, withoutRight } from "./object-findings.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";

/**
 * Creates an object. 304: unknown or unreadable class. 404: no right to create, or a file. 307: invalid attributes. 713: the
 * storage refuses it.
 */
export function createObject(
  context: ObjectContext,
  className: string,
  input: InputAttributes,
  serialization?: Serialization,
): Promise<FoundObject> {
  return withCurrentModel(context, async (model) => {
    const to = acceptCreation(context, model, className);
    const plan = planSerialization(serialization, { ...to, className });
    const { created, targets } = await createAccepted(context, input, to);
    cacheClass(context, created);
    const object = await serializeWritten(hookedSource(context, to), plan, created, targets);
    return { object, version: created.version };
  });
}

/** The class of new objects, for the caller. 304: it is unknown or unreadable. 404: no right to create, or a file. */
export function acceptCreation({ principal }: SessionContext, whole: Model, className: string): NewObjectsOf {
  const model = whole.as(principal);
  const visibility = visibilityOf(principal, model);
  const modelClass = model.find(className);
  if (modelClass === undefined || visibility.classes?.has(className) === false) throw missingClass(model, className);
  if (!mayOnClass(principal, modelClass, "create")) throw withoutRight("create", modelClass);
  if (isFileClass(model, className)) throw new ServiceError(404, { detail: "Files are created by uploads." });
  return { model, modelClass, visibility };
}

/** What new objects of a class are created under. */
export type NewObjectsOf = Omit<PreparationTarget, "isComplete">;

export interface Creation extends NewObjectsOf {
  /** Default: a random UUID. */
  readonly uuid?: string;
}

/** Creates an object that the caller may create, with its hooks. 307: invalid attributes, or a UUID in use. */
export async function createAccepted(context: ObjectContext, input: InputAttributes, to: Creation): Promise<Created> {
  const hooks = await hooksOfSaves(context, [to.modelClass.definition.name], to);
  return hooks === null ? insert(context, input, to) : insertWithHooks(hooks, context, input, to);
}

async function insert(context: SessionContext, input: InputAttributes, to: Creation): Promise<Created> {
  const { attributes, links, targets } = await prepareAttributes(context, input, { ...to, isComplete: true });
  const by = { session: context.sessionDigest, modelGeneration: to.model.generation };
  const created = await writeNew(context, { ...identityOf(to), attributes, links }, by, to.model);
  return { created, targets };
}

function identityOf({ modelClass, uuid }: Creation): Pick<NewObject, "className" | "uuid"> {
  const className = modelClass.definition.name;
  return uuid === undefined ? { className } : { className, uuid };
}

export interface Created {
  readonly created: StoredObject;
  readonly targets: readonly StoredObject[];
}

/** Creates an object and runs its hooks in one transaction. Hooks may set mandatory attributes. */
function insertWithHooks(
  hooks: SaveHooks,
  context: ObjectContext,
  input: InputAttributes,
  to: Creation,
): Promise<Created> {
  const { model, modelClass } = to;
  const className = modelClass.definition.name;
  const writing = hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const prepared = await prepareAttributes(inside, input, { ...to, isComplete: false });
      const save: HookedSave = { className, base: null, restoring: false, input, prepared };
      const [{ attributes, links, targets }] = (await hooks.before(inside, [save])) as [ResolvedAttributes];
      requireMandatory(attributes, modelClass);
      const by = { session: inside.sessionDigest, modelGeneration: model.generation };
      const created = await writeNew(inside, { ...identityOf(to), attributes, links }, by, model);
      await hooks.after(inside, [save], [created]);
      return { created, targets };
    }),
  );
  return refusedAs(713, writing);
}
