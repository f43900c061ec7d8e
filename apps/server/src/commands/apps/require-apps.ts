import type { ApplicationRepository } from "@sallyport/core";
import { CommandError } from "../command-error.ts";

/** Refuses app names that the database does not know. */
export async function requireApps(applications: ApplicationRepository, names: readonly string[]): Promise<void> {
  const known = await applications.known(names);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const list = unknown.map((name) => `"${name}"`).join(", ");
  throw new CommandError(`The database does not know the app ${list}. Create it first with "app create".`);
}
