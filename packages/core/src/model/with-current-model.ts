import type { RequestContext } from "../request/request-context.ts";
import type { Model } from "./model.ts";
import { OutdatedModelError } from "./outdated-model-error.ts";

const attempts = 3;

/** Prepares and does a write under the model of now; under a newer one again when that was changed meanwhile, and 706 the third time. */
export async function withCurrentModel<T>(
  { r, database, modelGeneration }: Pick<RequestContext, "r" | "database" | "modelGeneration">,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  let wanted = modelGeneration;
  for (let attempt = 1; ; attempt += 1) {
    const model = await database.models.current(wanted, r.model);
    try {
      return await work(model);
    } catch (error) {
      if (!(error instanceof OutdatedModelError) || attempt === attempts) throw error;
      wanted = model.generation + 1;
    }
  }
}
