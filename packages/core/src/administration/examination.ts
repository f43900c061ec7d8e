import { waitingMail } from "../mail/index.ts";
import type { AdministrationContext, Database, Uses } from "../request/index.ts";

/** A finding about a database. */
export interface DatabaseDiagnosis {
  /** Name of the check, such as `schema`. */
  readonly check: string;
  /** `error`: the database does not work. `warning`: it works, but probably not as intended. */
  readonly level: "ok" | "warning" | "error";
  /** A sentence. Contains no secret, and nothing about the server or other databases. */
  readonly finding: string;
  /** The remedy; `null` if none is needed. */
  readonly fix: string | null;
}

/** Port: the checks that need the configuration of the server. */
export interface DatabaseExaminer {
  examine(database: Database): Promise<readonly DatabaseDiagnosis[]>;
}

/** Examines a database for its administrators. Changes nothing. */
export async function examineDatabase(
  context: Pick<AdministrationContext, "database" | "r"> & Uses<{ readonly databaseExaminer: DatabaseExaminer }>,
): Promise<readonly DatabaseDiagnosis[]> {
  const { database, r } = context;
  const findings = await context.services.databaseExaminer.examine(database);
  const { count, stuck } = await waitingMail(r);
  const check = "mail";
  if (stuck === 0) return [...findings, { check, level: "ok", finding: `Waiting messages: ${count}.`, fix: null }];
  const finding = `The mail transport has failed for ${Math.round(stuck / 1_000)} s. Waiting messages: ${count}.`;
  return [...findings, { check, level: "warning", finding, fix: "Correct the mail transport of the server." }];
}
