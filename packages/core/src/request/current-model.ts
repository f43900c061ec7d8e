import { brand, ServiceError } from "../errors/index.ts";
import { Model } from "../model/index.ts";
import type { ModelRepository } from "../storage/index.ts";
import type { RequestContext } from "./request-context.ts";

/** The model as it is stored now; 713 if its generation is none of those expected, of which `null` stands for all. */
export async function currentModel(
  models: Pick<ModelRepository, "load">,
  expectedGenerations: readonly number[] | null,
): Promise<Model> {
  const stored = await models.load();
  if (expectedGenerations !== null && !expectedGenerations.includes(stored.generation)) {
    throw new ServiceError(713, { detail: "The model was changed meanwhile." });
  }
  return new Model(stored);
}

/** The model of this generation, or a newer one. A request in a transaction shares no load with others. */
export async function requestModel(
  { r, database, unit, modelGeneration }: Pick<RequestContext, "r" | "database" | "unit" | "modelGeneration">,
  generation = modelGeneration,
): Promise<Model> {
  const { models } = database;
  return models.loaded(generation) ?? (unit.models ?? models).current(generation, r.model);
}

const attempts = 3;

/** Writes under the current model; again under a newer one, 706 the third time. Part of a transaction that is open. */
export async function withCurrentModel<T>(
  context: Pick<RequestContext, "r" | "database" | "unit" | "modelGeneration">,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  let wanted = context.modelGeneration;
  for (let attempt = 1; ; attempt += 1) {
    const model = await requestModel(context, wanted);
    try {
      return await context.unit.attempt(() => work(model));
    } catch (error) {
      if (!(error instanceof OutdatedModelError) || attempt === attempts) throw error;
      wanted = model.generation + 1;
    }
  }
}

/** A write was prepared under an outdated model and changed nothing: it can be prepared again. 706 for clients. */
export class OutdatedModelError extends ServiceError {
  constructor(cause?: unknown) {
    super(706, { detail: "The model was changed meanwhile.", retryAfter: 1, cause });
  }
}

brand(OutdatedModelError, "OutdatedModelError");
