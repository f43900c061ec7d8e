import { ServiceError } from "../errors/service-error.ts";
import { hooksOfSaves } from "../hooks/hooks-of-saves.ts";
import { hookedSource } from "../hooks/hooked-source.ts";
import { noHooks, type ObjectHooks } from "../hooks/object-hooks.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import type { FoundObject } from "./get-object.ts";
import { type Created, insertWithHooks } from "./insert-with-hooks.ts";
import { learnClass } from "./learn-class.ts";
import { type PreparedFor, prepareAttributes } from "./prepare-attributes.ts";
import { planSerialization, type Serialization } from "./serialization/index.ts";
import { serializeWritten } from "./serialize-written.ts";
import type { GivenAttributes } from "./values/accept-attributes.ts";
import { writeNew } from "./write-object.ts";

/**
 * Creates an object. A class that is unknown or not readable: 304; without the right to create: 404; a body that is none of
 * the class: 307. Without links that is one trip to the database; a user takes a transaction.
 */
export class CreateObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  run(
    context: SessionContext,
    className: string,
    given: GivenAttributes,
    serialization?: Serialization,
  ): Promise<FoundObject> {
    const { principal } = context;
    return withCurrentModel(context, async (whole) => {
      const model = whole.as(principal);
      const visibility = visibilityOf(principal, model);
      const modelClass = model.find(className);
      if (modelClass === undefined || visibility.classes?.has(className) === false) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "create")) throw new ServiceError(404);
      const plan = planSerialization(serialization, { model, visibility, className });
      const hooks = await hooksOfSaves(this.hooks, context, [className], { model, visibility });
      const { created, targets } = await (hooks === null
        ? insert(context, given, { model, modelClass, visibility })
        : insertWithHooks(hooks, context, given, { model, modelClass, visibility }));
      learnClass(context, created);
      const object = await serializeWritten(
        hookedSource(this.hooks, context, { model, visibility }),
        plan,
        created,
        targets,
      );
      return { object, version: created.version };
    });
  }
}

async function insert(
  context: SessionContext,
  given: GivenAttributes,
  to: Omit<PreparedFor, "whole">,
): Promise<Created> {
  const { attributes, links, targets } = await prepareAttributes(context, given, { ...to, whole: true });
  const className = to.modelClass.definition.name;
  const by = { session: context.sessionDigest, modelGeneration: to.model.generation };
  const created = await writeNew(context, { className, attributes, links }, by, to.model);
  return { created, targets };
}
