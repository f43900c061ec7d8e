import { ServiceError } from "../../errors/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import { Applications, applicationCache } from "../appkeys/applications.ts";

/** Validates the app names of a log-in. Unknown, not allowed for the app key, or none: 208. Duplicate: 210. */
export async function acceptAppNames(
  { r, appKey, database }: AppKeyContext,
  appNames: readonly string[],
): Promise<void> {
  const allowed = appNames.every((name) => appKey.appNames === null || appKey.appNames.includes(name));
  const known =
    allowed &&
    appNames.length > 0 &&
    (await applicationCache(database).includes(appNames, new Applications(r.records)));
  if (!known) throw new ServiceError(208);
  refuseDuplicates(appNames);
}

/** Throws 210 if a name occurs twice. */
export function refuseDuplicates(appNames: readonly string[]): void {
  if (new Set(appNames).size !== appNames.length) throw new ServiceError(210);
}

/** App names of an enrolling session: none. Such a session can only set up second factors. */
export const enrollingAppNames: readonly string[] = Object.freeze([]);
