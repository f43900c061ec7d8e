import { WasmHashes } from "@sallyport/crypto";
import { administrationOf, type Database, VerifyDatabase, type Violation } from "@sallyport/core";

/** The violations that `sallyport-server verify` finds in a database, without its files. */
export async function violationsOf(database: Database): Promise<Violation[]> {
  const found: Violation[] = [];
  const verify = new VerifyDatabase(new WasmHashes());
  for await (const each of verify.verifyDatabase(administrationOf(database), { files: null })) found.push(each);
  return found;
}

/** Throws if an invariant of the database is violated, such as after a kill. */
export async function requireIntact(database: Database | null | undefined): Promise<void> {
  if (!database) throw new Error("There is no such database.");
  const found = await violationsOf(database);
  if (found.length > 0) throw new Error(found.map(({ invariant, finding }) => `${invariant}: ${finding}`).join("\n"));
}
