import { ServiceError } from "../../errors/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { Session } from "../../storage/index.ts";
import { Applications, knownApplications } from "../appkeys/applications.ts";

/**
 * Accepts the app names of a log-in: each known to the database and allowed to the app key (208), none twice (210).
 */
export async function acceptAppNames(
  { r, appKey, database }: AppKeyContext,
  appNames: readonly string[],
): Promise<void> {
  const allowed = appNames.every((name) => appKey.appNames === null || appKey.appNames.includes(name));
  const known =
    allowed &&
    appNames.length > 0 &&
    (await knownApplications(database).includes(appNames, new Applications(r.records)));
  if (!known) throw new ServiceError(208);
  if (new Set(appNames).size !== appNames.length) throw new ServiceError(210);
}

/** The app names of a session that is good for setting up second factors and nothing else: it was let into no app. */
export const enrollingAppNames: readonly string[] = Object.freeze([]);

/** Whether it is such a session. */
export function isEnrolling({ appNames }: Pick<Session, "appNames">): boolean {
  return appNames.length === 0;
}
