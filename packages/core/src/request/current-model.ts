import { OutdatedModelError, type ModelRepository, ServiceError } from "@sallyport/storage";
import { Model } from "../model/index.ts";
import type { RequestContext } from "./request-context.ts";
import { requestModel } from "./shared-reads.ts";

/** Loads the stored model. Throws 713 if its generation is not among the expected ones. `null`: any generation. */
export async function loadModel(
  models: Pick<ModelRepository, "load">,
  expectedGenerations: readonly number[] | null,
): Promise<Model> {
  const stored = await models.load();
  if (expectedGenerations !== null && !expectedGenerations.includes(stored.generation)) {
    throw new ServiceError(713, { detail: "The model changed during the request." });
  }
  return new Model(stored);
}

const attempts = 3;

/** Writes under the current model and retries under a newer one. Throws 706 after the third attempt. Inside an open transaction, each attempt is a savepoint. */
export async function withCurrentModel<T>(
  context: Pick<RequestContext, "r" | "database" | "unit" | "modelGeneration">,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  let generation = context.modelGeneration;
  for (let attempt = 1; ; attempt += 1) {
    const model = await requestModel(context, generation);
    try {
      return await context.unit.attempt(() => work(model));
    } catch (error) {
      if (!(error instanceof OutdatedModelError) || attempt === attempts) throw error;
      generation = model.generation + 1;
    }
  }
}
