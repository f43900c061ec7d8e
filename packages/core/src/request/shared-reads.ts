import type { EffectiveLimits } from "../capacity/index.ts";
import type { MacroSet } from "../macros/index.ts";
import type { Model } from "../model/index.ts";
import type { Repositories } from "@sallyport/storage";
import type { RequestContext } from "./request-context.ts";

type Sharing = Pick<RequestContext, "r" | "database" | "unit">;

/**
 * The repositories for what a request loads into a cache of all requests. Such a load takes no turn, and does not fail
 * when the client of the one request disconnects.
 */
export function sharedRepositories({ r, database, unit }: Sharing): Repositories {
  return unit.joined ? r : database.whole.storage.repositories;
}

/** The limits at the generation of the request, or newer ones. */
export function requestLimits(
  context: Sharing & Pick<RequestContext, "settingsGeneration">,
): EffectiveLimits | Promise<EffectiveLimits> {
  const { database, settingsGeneration } = context;
  return database.limits.current({ r: sharedRepositories(context), settingsGeneration });
}

/** The macros and hooks at the generation of the request, or newer ones. */
export function requestMacros(
  context: Sharing & Pick<RequestContext, "settingsGeneration">,
): MacroSet | Promise<MacroSet> {
  const { database, unit, settingsGeneration } = context;
  return database.macros.current({
    // Only a load reads.
    get r() {
      return sharedRepositories(context);
    },
    unit,
    settingsGeneration,
  });
}

/** The model at the generation of the request, or a newer one. A transaction loads it by itself. */
export async function requestModel(
  context: Sharing & Pick<RequestContext, "modelGeneration">,
  generation = context.modelGeneration,
): Promise<Model> {
  const { models: cache } = context.database;
  const cached = cache.loaded(generation);
  if (cached !== undefined) return cached;
  // The load of another request can wait for the connection that a transaction occupies.
  return (context.unit.models ?? cache).current(generation, sharedRepositories(context).model);
}
