import type { RequestContext } from "../request/request-context.ts";
import type { Model } from "./model.ts";
import { OutdatedModelError } from "./outdated-model-error.ts";
import { requestModel } from "./request-model.ts";

const attempts = 3;

/**
 * Prepares and does a write under the model of now; under a newer one again when that was changed meanwhile, and 706 the third
 * time. In an open transaction it is a part of it.
 */
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
