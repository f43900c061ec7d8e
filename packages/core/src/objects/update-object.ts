import { ServiceError } from "../errors/service-error.ts";
import { hooksOfSaves } from "../hooks/hooks-of-saves.ts";
import { hookedSource } from "../hooks/hooked-source.ts";
import { noHooks, type ObjectHooks } from "../hooks/object-hooks.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import { type Changed, type GivenChange, type ToChange, changeWithHooks } from "./change-with-hooks.ts";
import type { FoundObject } from "./get-object.ts";
import { learnClass } from "./learn-class.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import { planSerialization, type Serialization } from "./serialization/index.ts";
import type { Sight } from "./serialization-source.ts";
import { serializeWritten } from "./serialize-written.ts";
import type { StoredObject } from "./stored-object.ts";
import type { GivenAttributes } from "./values/accept-attributes.ts";
import type { SingleReference } from "./object-reference.ts";
import { visibleObject } from "./visible-object.ts";
import { writeChange } from "./write-object.ts";

export interface UpdateObjectInput {
  readonly given: GivenAttributes;
  /** Versions that the object may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
  readonly serialization: Serialization | undefined;
}

/**
 * Changes the attributes given. An object that never existed or that the caller may not see: 304; one that is gone: 610;
 * without the right to write: 404; a body that is none of the class: 307; another version, or a lock of another session: 713.
 * An object whose class is known is not read before: then it is one trip to the database.
 */
export class UpdateObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  run(context: SessionContext, reference: SingleReference, input: UpdateObjectInput): Promise<FoundObject> {
    const { r, database, principal } = context;
    return withCurrentModel(context, async (whole) => {
      const model = whole.as(principal);
      const sight = { model, visibility: visibilityOf(principal, model) };
      if (reference.kind === "id") {
        const className = database.classes.of(reference.id);
        // Where hooks have a say, it is read anyway.
        const isTried =
          className !== undefined && (await hooksOfSaves(this.hooks, context, [className], sight)) === null;
        const changed = isTried
          ? await this.tryToChange(context, { id: reference.id, className }, sight, input)
          : undefined;
        if (changed !== undefined) return changed;
      }
      const found = await visibleObject(r, reference, sight.visibility, 610);
      learnClass(context, found);
      return this.changeObject(context, found, sight, input);
    });
  }

  /** `undefined` if the change is refused: whether the caller may be told the reason depends on what is there. */
  private async tryToChange(...given: Parameters<UpdateObject["changeObject"]>): Promise<FoundObject | undefined> {
    const [{ unit }] = given;
    try {
      return await unit.attempt(() => this.changeObject(...given));
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return undefined;
      throw error;
    }
  }

  private async changeObject(
    context: SessionContext,
    { id, className }: Pick<StoredObject, "id" | "className">,
    sight: Sight,
    { given, expectedVersions, serialization }: UpdateObjectInput,
  ): Promise<FoundObject> {
    const { principal, sessionDigest } = context;
    const { model, visibility } = sight;
    const modelClass = model.find(className);
    if (modelClass === undefined || visibility.classes?.has(className) === false) throw new ServiceError(304);
    if (!mayOnClass(principal, modelClass, "write")) throw new ServiceError(404);
    const plan = planSerialization(serialization, { model, visibility, className });
    // It must be of the class that the attributes were prepared for.
    const by = { session: sessionDigest, modelGeneration: model.generation, className, visibility };
    const hooks = await hooksOfSaves(this.hooks, context, [className], sight);
    const { changed, targets } =
      hooks === null
        ? await change(context, { given, expectedVersions }, { id, modelClass, sight, by })
        : await changeWithHooks(hooks, context, { given, expectedVersions }, { id, modelClass, sight, by });
    const object = await serializeWritten(hookedSource(this.hooks, context, sight), plan, changed, targets);
    return { object, version: changed.version };
  }
}

async function change(
  context: SessionContext,
  { given, expectedVersions }: GivenChange,
  { id, modelClass, sight, by }: ToChange,
): Promise<Changed> {
  const { attributes, links, targets } = await prepareAttributes(context, given, {
    ...sight,
    modelClass,
    whole: false,
  });
  return { changed: await writeChange(context, { id, attributes, links, expectedVersions }, by, sight.model), targets };
}
