import { ServiceError } from "../errors/service-error.ts";
import { Model } from "./model.ts";
import type { ModelRepository, StoredModel } from "./model-repository.ts";

/** The model as it is stored now; 713 if its generation is none of those expected, of which `null` stands for all. */
export async function currentModel(
  models: Pick<ModelRepository, "load">,
  expectedGenerations: readonly number[] | null,
): Promise<{ stored: StoredModel; model: Model }> {
  const stored = await models.load();
  if (expectedGenerations !== null && !expectedGenerations.includes(stored.generation)) {
    throw new ServiceError(713, { detail: "The model was changed meanwhile." });
  }
  return { stored, model: new Model(stored) };
}
