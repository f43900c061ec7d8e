import type { RequestContext } from "../request/request-context.ts";
import type { Model } from "./model.ts";

/**
 * The model that a request works under: of the generation that it was admitted with, or of the one given, or a newer one. Who
 * holds a transaction neither waits for what others load nor has them wait.
 */
export async function requestModel(
  { r, database, unit, modelGeneration }: Pick<RequestContext, "r" | "database" | "unit" | "modelGeneration">,
  generation = modelGeneration,
): Promise<Model> {
  const { models } = database;
  return models.loaded(generation) ?? (unit.models ?? models).current(generation, r.model);
}
