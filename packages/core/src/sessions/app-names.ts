import { Applications } from "../appkeys/applications.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { AppKeyContext } from "../request/request-context.ts";

/**
 * Accepts the app names of a log-in: each known to the database and allowed to the app key (208), none twice (210).
 */
export async function acceptAppNames(
  { r, appKey, database }: AppKeyContext,
  appNames: readonly string[],
): Promise<void> {
  const allowed = appNames.every((name) => appKey.appNames === null || appKey.appNames.includes(name));
  const known =
    allowed && appNames.length > 0 && (await database.applications.includes(appNames, new Applications(r.records)));
  if (!known) throw new ServiceError(208);
  if (new Set(appNames).size !== appNames.length) throw new ServiceError(210);
}
