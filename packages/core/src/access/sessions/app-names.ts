import { explained, type Finding, ServiceError } from "@sallyport/storage";
import type { AppKeyContext, Database } from "../../request/index.ts";
import { Applications, applicationCache } from "../appkeys/applications.ts";

/** Validates the app names of a log-in. Unknown, not allowed for the app key, or none: 208. Duplicate: 210. */
export async function acceptAppNames(
  { r, appKey, database }: AppKeyContext,
  appNames: readonly string[],
): Promise<void> {
  const { appNames: ofKey } = appKey;
  const allowed = ofKey === null || appNames.every((name) => ofKey.includes(name));
  const areKnown = allowed && appNames.length > 0 && (await applicationCache(database).includes(appNames, r.records));
  if (!areKnown)
    throw explained(new ServiceError(208), (served: Database) => appNameFindings(served, appKey.appNames, appNames));
  refuseDuplicates(appNames);
}

/** Which of the names exist, and which the app key may use. */
async function appNameFindings(
  { storage }: Database,
  allowed: readonly string[] | null,
  appNames: readonly string[],
): Promise<Finding[]> {
  const existing = await new Applications(storage.repositories.records).existing(appNames);
  const unknown = new Set(appNames.filter((name) => !existing.includes(name))).size;
  return [
    { asked: "Do the app names exist?", found: unknown === 0 ? "Yes." : `No: ${unknown} of them are unknown.` },
    ...existing.map((name) => ({
      asked: `May the app key use "${name}"?`,
      found: allowed === null || allowed.includes(name) ? "Yes." : "No.",
    })),
  ];
}

/** Throws 210 if a name occurs twice. */
export function refuseDuplicates(appNames: readonly string[]): void {
  if (new Set(appNames).size !== appNames.length) throw new ServiceError(210);
}

/** App names of an enrolling session: none. Such a session can only set up second factors. */
export const enrollingAppNames: readonly string[] = Object.freeze([]);
