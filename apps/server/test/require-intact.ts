import { administrationOf, type Database, type VerifyOptions, type Violation, verifyDatabase } from "@sallyport/core";
import { ThreadHashes } from "@sallyport/crypto";
import { ServerProcess } from "./processes/server-process.ts";

/** The violations that `sallyport-server verify` finds in a database. Default: without the bytes of files. */
export async function violationsOf(
  database: Database,
  { files = null }: Partial<Pick<VerifyOptions, "files">> = {},
): Promise<Violation[]> {
  const found: Violation[] = [];
  const context = { ...administrationOf(database), services: { hashes: new ThreadHashes() } };
  for await (const each of verifyDatabase(context, { files })) found.push(each);
  return found;
}

/** Violations as lines. */
export const linesOf = (found: readonly Violation[]) =>
  found.map(({ invariant, finding }) => `${invariant}: ${finding}`);

/** Throws if an invariant of the database is violated, such as after a kill. */
export async function requireIntact(
  database: Database | null | undefined,
  options?: Parameters<typeof violationsOf>[1],
): Promise<void> {
  if (!database) throw new Error("There is no such database.");
  const found = await violationsOf(database, options);
  expect(linesOf(found)).toEqual([]);
}

/** Verifies a database with the program, as operators do after a crash. Fails with what it prints if an invariant is violated. */
export async function requireVerified(
  environment: Readonly<Record<string, string>>,
  folder: string,
  ...options: readonly string[]
): Promise<void> {
  const { code, stdout, stderr } = await new ServerProcess(["verify", ...options], environment, folder).ended;
  expect({ code, printed: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, printed: "" });
}
