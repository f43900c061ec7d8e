import { isUserClass, renameAccount } from "../accounts/index.ts";
import { ServiceError } from "../errors/service-error.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SessionContext } from "../request/request-context.ts";
import type { Model } from "../model/model.ts";
import { mayOnClass, type Visibility, visibilityOf } from "../rights/index.ts";
import type { FoundObject } from "./get-object.ts";
import { learnClass } from "./learn-class.ts";
import type { ObjectChange, Writing } from "./object-change.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import { planSerialization, type Serialization } from "./serialization/index.ts";
import { serializationSource } from "./serialization-source.ts";
import { serializeWritten } from "./serialize-written.ts";
import type { StoredObject } from "./stored-object.ts";
import type { GivenAttributes } from "./values/accept-attributes.ts";
import type { SingleReference } from "./object-reference.ts";
import { visibleObject } from "./visible-object.ts";

export interface UpdateObjectInput {
  readonly given: GivenAttributes;
  /** Versions that the object may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
  readonly serialization: Serialization | undefined;
}

/** What the caller sees, and under which model. */
interface Sight {
  readonly model: Model;
  readonly visibility: Visibility;
}

/**
 * Changes the attributes given. An object that never existed or that the caller may not see: 304; one that is gone: 610;
 * without the right to write: 404; a body that is none of the class: 307; another version, or a lock of another session: 713.
 * An object whose class is known is not read before: then it is one trip to the database.
 */
export class UpdateObject {
  run(context: SessionContext, reference: SingleReference, input: UpdateObjectInput): Promise<FoundObject> {
    const { r, database, principal } = context;
    return withCurrentModel(context, async (model) => {
      const sight = { model, visibility: visibilityOf(principal, model) };
      if (reference.kind === "id") {
        const className = database.classes.of(reference.id);
        const changed = className === undefined ? undefined : await tryToChange(context, { id: reference.id, className }, sight, input);
        if (changed !== undefined) return changed;
      }
      const found = await visibleObject(r, reference, sight.visibility, 610);
      learnClass(context, found);
      return changeObject(context, found, sight, input);
    });
  }
}

/** `undefined` if the change is refused: whether the caller may be told the reason depends on what is there. */
async function tryToChange(...given: Parameters<typeof changeObject>): Promise<FoundObject | undefined> {
  const [{ unit }] = given;
  try {
    return await unit.attempt(() => changeObject(...given));
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}

async function changeObject(
  context: SessionContext,
  { id, className }: Pick<StoredObject, "id" | "className">,
  { model, visibility }: Sight,
  { given, expectedVersions, serialization }: UpdateObjectInput,
): Promise<FoundObject> {
  const { r, principal, sessionDigest } = context;
  const modelClass = model.find(className);
  if (modelClass === undefined || visibility.classes?.has(className) === false) throw new ServiceError(304);
  if (!mayOnClass(principal, modelClass, "write")) throw new ServiceError(404);
  const plan = planSerialization(serialization, { model, visibility, className });
  const { attributes, links, targets } = await prepareAttributes(context, given, { model, modelClass, visibility, whole: false });
  // It must be of the class that the attributes were prepared for.
  const by = { session: sessionDigest, modelGeneration: model.generation, className, visibility };
  const wanted = { id, attributes, links, expectedVersions };
  const { Name: name } = attributes;
  const changed = isUserClass(model, className) && typeof name === "string" ? await rename(context, wanted, by, name) : await write(r, wanted, by);
  const object = await serializeWritten(serializationSource(context, visibility), plan, changed, targets);
  return { object, version: changed.version };
}

async function write({ objects }: Pick<SessionContext["r"], "objects">, change: ObjectChange, by: Writing): Promise<StoredObject> {
  const [changed] = (await objects.update([change], by)) as [StoredObject];
  return changed;
}

/** A user logs in by the name of the user object: both change together, or neither. */
function rename({ unit }: SessionContext, change: ObjectChange, by: Writing, name: string): Promise<StoredObject> {
  return unit.transaction(async (r) => {
    const changed = await write(r, change, by);
    await renameAccount(r.accounts, change.id, name);
    return changed;
  });
}
