import { types } from "node:util";
import { isRefusedByStorage, ServiceError } from "@sallyport/storage";
import {
  administrationOf,
  type Database,
  examineSchemas,
  keyRingKind,
  type KeyRings,
  type AdministrationContext,
  type ListedProvider,
} from "@sallyport/core";
import type { ServerFacts } from "@sallyport/storage-knex";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";
import { databaseDiagnostics } from "../composition/storages/database-diagnostics.ts";
import { demoCredentials } from "../demo/index.ts";
import { type Diagnosis, found, orAllWell } from "./diagnosis.ts";

/** Milliseconds by which clocks may differ. Second factors accept tokens of 30 seconds before and after. */
const clockTolerance = { warning: 5_000, error: 30_000 };

/** The parts of one database that its examination needs. */
export interface ExaminedDatabase {
  readonly database: Database;
  readonly keyRings: Pick<KeyRings, "isSealedByOtherKey">;
  readonly listProviders: (context: AdministrationContext) => Promise<readonly ListedProvider[]>;
  /** Reads the facts of the database server; `null` if there is none. */
  readonly facts: () => Promise<ServerFacts | null>;
}

export interface Examination {
  readonly findings: readonly Diagnosis[];
  readonly facts: ServerFacts | null;
}

/** The name of a database in a sentence. */
export function databaseName({ alias }: Pick<DatabaseConfiguration, "alias">): string {
  return alias === "" ? "The database with the empty alias" : `The database "${alias}"`;
}

/** Examines a database that could be opened. */
export async function examineDatabase(
  configuration: Configuration,
  each: DatabaseConfiguration,
  opened: ExaminedDatabase,
): Promise<Examination> {
  const { database } = opened;
  const name = databaseName(each);
  const findings: Diagnosis[] = [];
  let facts: ServerFacts | null = null;
  try {
    facts = await opened.facts();
    if (facts !== null)
      findings.push(
        // Its examination writes.
        ...(facts.isReadOnly ? [] : await examineEngine(name, facts)),
        ...examineRights(name, facts),
        ...examineSettings(facts, each),
        ...examineReplicas(facts),
        ...examineFailover(name, facts),
        ...examineWriters(name, facts),
      );
    const before = Date.now();
    findings.push(...examineClock(name, await database.storage.now(), before));
  } catch (error) {
    return { findings: [...findings, unavailable(each, error)], facts };
  }
  findings.push(found("database", `${name} answers${facts === null ? "" : ` (${facts.version})`}.`));
  // The rest writes, and would fail for the same reason.
  if (facts !== null && (facts.isReadOnly || facts.missingPrivileges.length > 0)) return { findings, facts };
  const schema = await examineSchema(each, opened);
  findings.push(schema);
  if (schema.level !== "ok") return { findings, facts };
  findings.push(...(await examineKeys(configuration, name, opened)));
  findings.push(...(await examineProviders(configuration, each, opened)));
  findings.push(...(await examineSynchronization(name, opened)));
  findings.push(...(await examineDemo(configuration, name, opened)));
  return { findings, facts };
}

/** The finding for a database that does not answer. */
export function unavailable(each: DatabaseConfiguration, error: unknown): Diagnosis {
  const diagnostics = databaseDiagnostics(error, each.storage);
  const reason = diagnostics ?? (error instanceof Error ? error.message : String(error));
  const fix = "Correct databases[].storage or the database server, then run this command again.";
  return { check: "database", level: "error", finding: `${databaseName(each)} cannot be used. ${reason}`, fix };
}

function* examineClock(name: string, theirs: number, before: number): Generator<Diagnosis> {
  const after = Date.now();
  const tolerance = after - before;
  const difference = Math.max(0, Math.abs(theirs - (before + after) / 2) - tolerance);
  if (difference <= clockTolerance.warning) {
    yield found("clock", `${name} has the time of this machine.`);
    return;
  }
  yield {
    check: "clock",
    level: difference > clockTolerance.error ? "error" : "warning",
    finding: `The clock of the database differs from this machine by ${Math.round(difference / 1_000)} s (${name}).`,
    fix: "Synchronise both clocks by NTP. Second factors and tokens depend on them.",
  };
}

async function examineEngine(name: string, { unmetRequirements }: ServerFacts): Promise<readonly Diagnosis[]> {
  const check = "engine";
  const fix = "Use a server that the guides describe, and connect to one server.";
  const findings = (await unmetRequirements()).map(
    (reason): Diagnosis => ({ check, level: "error", finding: `${name}: the server is unsuitable. ${reason}`, fix }),
  );
  return orAllWell(findings, found(check, `${name}: the server has what the service relies on.`));
}

function* examineRights(
  name: string,
  { isReadOnly, missingPrivileges, grants, canChangeSchema }: ServerFacts,
): Generator<Diagnosis> {
  const check = "rights";
  if (isReadOnly)
    yield {
      check,
      level: "error",
      finding: `${name} is read-only: it is a standby, or a setting forbids writes.`,
      fix: "Connect to the primary server, and turn default_transaction_read_only (MariaDB: read_only) off.",
    };
  if (missingPrivileges.length > 0)
    yield {
      check,
      level: "error",
      finding: `${name}: the role lacks ${missingPrivileges.join(", ")}.`,
      fix: `Run as the owner of the database: ${grants.map((each) => `${each};`).join(" ")}`,
    };
  if (isReadOnly || missingPrivileges.length > 0) return;
  if (canChangeSchema) yield found(check, `${name}: the role can write, migrate and create indexes.`);
  else
    yield {
      check,
      level: "warning",
      finding: `${name}: the role can write, but not migrate or create indexes.`,
      fix: 'Run "sallyport-server migrate" as the owner after each upgrade and each change of indexed attributes.',
    };
}

/** A pooler between server and database can drop the settings of a connection. Those of the role are in force then. */
export function* examineSettings(
  { missingSettings, statementTimeout }: ServerFacts,
  each: Pick<DatabaseConfiguration, "alias" | "storage">,
): Generator<Diagnosis> {
  const { storage } = each;
  if (storage?.engine !== "postgres" && storage?.engine !== "mariadb") return;
  const name = databaseName(each);
  const warn = (check: string, finding: string, setting: string): Diagnosis => {
    const fix =
      storage.engine === "mariadb"
        ? "Connect without a proxy, or configure the proxy to keep the settings of connections."
        : `Behind a pooler, run as the role of the server: alter role current_user set ${setting}. Then restart the pooler.`;
    return { check, level: "warning", finding, fix };
  };
  if (statementTimeout === storage.statementTimeout) {
    yield found("timeout", `${name} ends statements after ${statementTimeout} ms.`);
  } else {
    const actual = statementTimeout === 0 ? "never ends statements" : `ends statements after ${statementTimeout} ms`;
    const finding = `${name} ${actual}, not after the configured ${storage.statementTimeout} ms.`;
    yield warn("timeout", finding, `statement_timeout = ${storage.statementTimeout}`);
  }
  for (const setting of missingSettings) yield warn("settings", `${name}: ${setting} is not in force.`, setting);
}

/** Without replicas the primary answers all. */
function* examineReplicas({ replicas = [] }: ServerFacts): Generator<Diagnosis> {
  const check = "replicas";
  for (const { name, fault } of replicas) {
    if (fault === null) yield found(check, `The replica ${name} takes reads.`);
    else
      yield {
        check,
        level: "warning",
        finding: `The replica ${name} is left out. ${fault}`,
        fix: "Correct storage.readUrls, or the standby.",
      };
  }
}

function* examineFailover(name: string, { failoverProof }: ServerFacts): Generator<Diagnosis> {
  const check = "failover";
  if (failoverProof === null) return;
  if (failoverProof === "possible")
    return yield found(check, `${name}: servers can see that a failover has lost nothing.`);
  const { reason, fix } = unproven[failoverProof];
  const finding = `${name}: after a failover, requests fail with 705 until "recover" has run, because ${reason}.`;
  yield { check, level: "warning", finding, fix };
}

/** Milliseconds. Younger transactions are those of requests. */
const longWriter = 30_000;

function* examineWriters(name: string, { openWriters = [] }: ServerFacts): Generator<Diagnosis> {
  const check = "synchronization";
  const fix = "End the transaction: it keeps all later changes from devices.";
  for (const { pid, role, application, prepared, age } of openWriters) {
    if (age !== null && age < longWriter) continue;
    const what = prepared === null ? `process ${pid}` : `prepared transaction "${prepared}"`;
    const since = age === null ? "for an unknown time" : `for ${Math.round(age / 1_000)} s`;
    const finding = `${name}: the ${what} of the role ${role} (${application || "no application name"}) has been writing objects ${since}.`;
    yield { check, level: "warning", finding, fix };
  }
}

const unproven = {
  unreadable: {
    reason: "the role cannot read the history of timelines",
    fix: "Create the function timeline_history, see Deploy on Postgres.",
  },
  unclear: {
    reason: "one standby of several can have confirmed a commit",
    fix: 'Promote the standby that is ahead and run "sallyport-server recover --nothing-lost", or let all standbys confirm each commit.',
  },
} as const;

async function examineSchema(each: DatabaseConfiguration, { database }: ExaminedDatabase): Promise<Diagnosis> {
  const name = databaseName(each);
  try {
    await database.storage.health();
    return found("schema", `${name} has the schema and the functions of this version.`);
  } catch (error) {
    if (isRefusedByStorage(error)) return refusing(name, error as ServiceError);
    if (!(error instanceof ServiceError) || error.code !== 705) return unavailable(each, error);
    const reason = databaseDiagnostics(error, each.storage) ?? error.message;
    const isNewer = error.detail?.includes("newer version") === true;
    const level = each.migrateOnStart && !isNewer ? "warning" : "error";
    const command = error.detail?.includes("sallyport-server recover") === true ? "recover" : "migrate";
    return {
      check: "schema",
      level: command === "recover" ? "error" : level,
      finding: `${name}: ${reason}`,
      fix: isNewer ? "Start the newer version." : `Run "sallyport-server ${command}".`,
    };
  }
}

/** The database answers reads and refuses what the check writes. Messages about disks can name paths of their server. */
function refusing(name: string, { detail, cause }: ServiceError): Diagnosis {
  const reason = detail ?? "The reason is unknown.";
  const message = types.isNativeError(cause) && !/disk|memory|I\/O/.test(reason) ? ` (${cause.message})` : "";
  return {
    check: "writes",
    level: "error",
    finding: `${name} refuses writes. ${reason}${message}`,
    fix: "Free space on the disk of the database server, or mend what its log reports.",
  };
}

async function examineKeys(
  { encryption, demoMasterKeyFile }: Configuration,
  name: string,
  { database, keyRings }: ExaminedDatabase,
): Promise<readonly Diagnosis[]> {
  if (encryption.masterKey === undefined && demoMasterKeyFile === null) {
    const { count } = await database.storage.repositories.records.count(keyRingKind);
    if (count === 0) return [];
    const finding = `${name} has keys that are encrypted with a master key, and none is configured.`;
    return [{ check: "keys", level: "error", finding, fix: "Set MASTER_KEY to the key with which they were created." }];
  }
  if (!(await keyRings.isSealedByOtherKey(database)))
    return [found("keys", `${name}: the master key opens the stored keys.`)];
  const finding = `${name} has keys that are encrypted with another master key.`;
  return [{ check: "keys", level: "error", finding, fix: "Set MASTER_KEY to the former key, or rotate the keys." }];
}

async function examineProviders(
  { oAuthProviders, demo }: Configuration,
  each: DatabaseConfiguration,
  { database, listProviders }: ExaminedDatabase,
): Promise<readonly Diagnosis[]> {
  if (oAuthProviders.length === 0 || demo) return [];
  const name = databaseName(each);
  const registered = await listProviders(administrationOf(database));
  const findings = oAuthProviders.flatMap((type): Diagnosis[] => {
    const entry = registered.find((one) => one.type === type);
    const add = `Run "sallyport --local provider add ${type}".`;
    if (entry === undefined)
      return [
        { check: "providers", level: "warning", finding: `${name}: ${type} is enabled but not registered.`, fix: add },
      ];
    if (entry.fault !== null)
      return [{ check: "providers", level: "error", finding: `${name}: ${type}: ${entry.fault}`, fix: add }];
    if (entry.callback?.startsWith("http:") === true && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(entry.callback)) {
      const finding = `${name}: ${type} returns to ${entry.callback}, over plain HTTP.`;
      return [{ check: "providers", level: "error", finding, fix: "Use an https address." }];
    }
    return [];
  });
  return orAllWell(findings, found("providers", `${name}: the enabled identity providers are registered.`));
}

/** Schemas of synchronization that no device can use. */
async function examineSynchronization(name: string, { database }: ExaminedDatabase): Promise<readonly Diagnosis[]> {
  const check = "synchronization";
  const { examined, damaged } = await examineSchemas(database.storage.repositories);
  const findings = [
    ...damaged.map((id): Diagnosis => {
      const finding = `${name}: the record of the schema ${id} is damaged. All devices get 721.`;
      return { check, level: "error", finding, fix: `Run "sallyport sync put ${id}" to replace it.` };
    }),
    ...examined.flatMap(({ schema, broken }): Diagnosis[] => {
      const finding = `${name}: the schema ${schema.name} does not fit the classes: ${broken}`;
      const fix = `Run "sallyport sync put ${schema.name}", or restore what it names.`;
      return broken === null ? [] : [{ check, level: "error", finding, fix }];
    }),
  ];
  if (examined.length + damaged.length === 0) return [];
  return orAllWell(findings, found(check, `${name}: the schemas of synchronization fit the classes.`));
}

/** The demo's app key is public. */
async function examineDemo(
  { demo }: Configuration,
  name: string,
  { database: { digests, storage } }: ExaminedDatabase,
): Promise<readonly Diagnosis[]> {
  if (demo) return [];
  const request = { appKey: digests.sha256(demoCredentials.appKey), session: null, idleTimeout: 1 };
  const { appKey } = await storage.repositories.admission.admit(request);
  if (appKey === null) return [];
  const finding = `${name} has the public app key, and probably the users, of the demo.`;
  return [{ check: "secrets", level: "warning", finding, fix: "Use a database without the demo data for real data." }];
}
