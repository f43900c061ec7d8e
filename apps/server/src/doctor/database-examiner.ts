import { ServiceError } from "@sallyport/storage";
import {
  type Database,
  type DatabaseExaminer,
  type DatabaseDiagnosis,
  type KeyRings,
  type AdministrationContext,
  type ListedProvider,
} from "@sallyport/core";
import type { ServerFacts } from "@sallyport/storage-knex";
import type { Configuration, DatabaseConfiguration, StorageConfiguration } from "../configuration/index.ts";
import { examineDatabase } from "./examine-database.ts";

/**
 * Checks whose findings are about the database alone. The others tell about the server, its connections, or what
 * databases share.
 */
const checksOfDatabase: ReadonlySet<string> = new Set([
  "clock",
  "keys",
  "providers",
  "rights",
  "schema",
  "secrets",
  "synchronization",
  "writes",
]);

interface Parts {
  readonly configuration: Configuration;
  /** The present configurations of the databases, by alias. */
  readonly databases: ReadonlyMap<string, DatabaseConfiguration>;
  readonly engines: { facts(storage: StorageConfiguration): Promise<ServerFacts | null> };
  readonly keyRings: Pick<KeyRings, "isSealedByOtherKey">;
  readonly listProviders: (context: AdministrationContext) => Promise<readonly ListedProvider[]>;
}

/** The part of `doctor` for administrators of one database. */
export class ServedDatabaseExaminer implements DatabaseExaminer {
  constructor(private readonly parts: Parts) {}

  /** 607 if the database does not answer. The cause can name its server, so the findings omit it. */
  async examine(database: Database): Promise<readonly DatabaseDiagnosis[]> {
    const { configuration, databases, engines, keyRings, listProviders } = this.parts;
    const served = databases.get(database.alias);
    const storage = served?.storage ?? null;
    if (served === undefined || storage === null) throw new ServiceError(607);
    const facts = () => engines.facts(storage);
    const { findings } = await examineDatabase(configuration, served, { database, keyRings, listProviders, facts });
    if (findings.some(({ check, level }) => check === "database" && level === "error")) throw new ServiceError(607);
    return findings.filter(({ check }) => checksOfDatabase.has(check));
  }
}
