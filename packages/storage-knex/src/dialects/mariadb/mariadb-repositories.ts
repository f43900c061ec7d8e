import type { Repositories } from "@sallyport/core";
import { KnexAccountRepository } from "../../knex-account-repository.ts";
import { KnexAdmissionRepository } from "../../knex-admission-repository.ts";
import { KnexAppKeyRepository } from "../../knex-app-key-repository.ts";
import { KnexApplicationRepository } from "../../knex-application-repository.ts";
import { KnexAuditRepository } from "../../knex-audit-repository.ts";
import { KnexChannelRepository } from "../../knex-channel-repository.ts";
import { KnexDatabaseContents } from "../../knex-database-contents.ts";
import { KnexKeyRepository } from "../../knex-key-repository.ts";
import { KnexMaintenanceSwitch } from "../../knex-maintenance-switch.ts";
import { KnexSessionRepository } from "../../knex-session-repository.ts";
import { KnexThrottleRepository } from "../../knex-throttle-repository.ts";
import type { SqlRunner } from "../../sql-runner.ts";
import { objectOf } from "./objects/object-row.ts";
import type { Statements } from "./statements/statements.ts";

/** What is kept of those who come in. */
export type EntryRepositories = Omit<Repositories, "changes" | "departures" | "locks" | "model" | "objects">;

/** Repositories over one runner: those of the storage, or those of a transaction. */
export function mariadbRepositories(sql: SqlRunner, statements: Statements, offset: () => number): EntryRepositories {
  return {
    admission: new KnexAdmissionRepository(sql, statements.admission, offset),
    accounts: new KnexAccountRepository(sql, statements.accounts, objectOf),
    appKeys: new KnexAppKeyRepository(sql, statements.appKeys),
    applications: new KnexApplicationRepository(sql, statements.applications),
    audit: new KnexAuditRepository(sql, statements.audit, offset),
    channels: new KnexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
    contents: new KnexDatabaseContents(sql, statements.contents),
    keys: new KnexKeyRepository(sql, statements.keys, offset),
    maintenance: new KnexMaintenanceSwitch(sql),
    sessions: new KnexSessionRepository(sql, statements.sessions, statements.channels, offset),
    throttle: new KnexThrottleRepository(sql, statements.throttle, offset),
  };
}
