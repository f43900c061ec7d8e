import type { ServerFacts } from "@sallyport/storage-knex";
import { type Configuration, type DatabaseConfiguration, folderProblem } from "../configuration/index.ts";
import { directoriesWithoutDatabase } from "../composition/storages/embedded.ts";
import { databaseName, type ExaminedDatabase, examineDatabase, unavailable } from "./examine-database.ts";
import { examineMachine } from "./examine-machine.ts";
import { examinePools } from "./examine-pools.ts";
import { type Diagnosis, found } from "./diagnosis.ts";

export interface ExaminationParts {
  readonly configuration: Configuration;
  /** Runs work on one database, which exists. Rejects if it cannot be opened. */
  readonly withDatabase: <T>(
    database: DatabaseConfiguration,
    work: (opened: ExaminedDatabase) => Promise<T>,
  ) => Promise<T>;
  /** Default: the version of this process. */
  readonly nodeVersion?: string;
}

/**
 * Examines the configuration, this machine, and each database with storage, one after another. A database that cannot
 * be reached is a finding. Changes nothing in the databases.
 */
export async function examineServer({
  configuration,
  withDatabase,
  nodeVersion = process.versions.node,
}: ExaminationParts): Promise<Diagnosis[]> {
  const findings = await examineMachine(configuration, nodeVersion);
  const facts = new Map<DatabaseConfiguration, ServerFacts>();
  for (const each of configuration.databases) {
    const { storage } = each;
    if (storage === null || storage.engine === "memory") continue;
    const problem =
      storage.engine === "embedded" ? folderProblem(storage.dataDir, { mayBeMissing: true, written: true }) : null;
    if (problem !== null) {
      findings.push(unavailable(each, new Error(`The data directory (DATA_DIR) ${problem}.`)));
      continue;
    }
    if ((await directoriesWithoutDatabase([each])).length > 0) {
      findings.push(found("database", `${databaseName(each)} does not exist yet. The server creates it at the start.`));
      continue;
    }
    try {
      const examined = await withDatabase(each, (opened) => examineDatabase(configuration, each, opened));
      findings.push(...examined.findings);
      if (examined.facts !== null) facts.set(each, examined.facts);
    } catch (error) {
      findings.push(unavailable(each, error));
    }
  }
  return [...findings, ...examinePools(configuration, facts)];
}
