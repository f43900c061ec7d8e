import type { EffectiveLimits } from "../capacity/index.ts";
import type { MacroSet } from "../macros/index.ts";
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
