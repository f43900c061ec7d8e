import type { Repositories } from "@sallyport/core";
import type { Statements } from "./dialects/postgres/statements/statements.ts";
import type { Tables } from "./dialects/postgres/tables.ts";
import { KnexAccountRepository } from "./knex-account-repository.ts";
import { KnexAdmissionRepository } from "./knex-admission-repository.ts";
import { KnexAppKeyRepository } from "./knex-app-key-repository.ts";
import { KnexApplicationRepository } from "./knex-application-repository.ts";
import { KnexAuditRepository } from "./knex-audit-repository.ts";
import { KnexChangeRepository } from "./knex-change-repository.ts";
import { KnexChannelRepository } from "./knex-channel-repository.ts";
import { KnexCustomAccountRepository } from "./knex-custom-account-repository.ts";
import { KnexDatabaseContents, KnexMaintenanceSwitch } from "./knex-database-contents.ts";
import { KnexDepartureRepository } from "./knex-departure-repository.ts";
import { KnexIdentityLinkRepository } from "./knex-identity-link-repository.ts";
import { KnexKeyRepository } from "./knex-key-repository.ts";
import { KnexLockRepository } from "./knex-lock-repository.ts";
import { KnexMacroRepository } from "./knex-macro-repository.ts";
import { KnexModelRepository } from "./knex-model-repository.ts";
import { KnexObjectRepository } from "./knex-object-repository.ts";
import { KnexOneTimeRepository } from "./knex-one-time-repository.ts";
import { KnexOutboxRepository } from "./knex-outbox-repository.ts";
import { KnexPasswordHistoryRepository } from "./knex-password-history-repository.ts";
import { KnexProviderRepository } from "./knex-provider-repository.ts";
import { KnexSecondFactorRepository } from "./knex-second-factor-repository.ts";
import { KnexSessionRepository } from "./knex-session-repository.ts";
import { KnexThrottleRepository } from "./knex-throttle-repository.ts";
import { objectOf } from "./object-row.ts";
import type { SqlRunner } from "./sql-runner.ts";

/** All repositories over one runner: those of the storage, or those of a transaction. */
export function knexRepositories(
  sql: SqlRunner,
  statements: Statements,
  tables: Tables,
  offset: () => number,
): Repositories {
  return {
    admission: new KnexAdmissionRepository(sql, statements.admission, offset),
    accounts: new KnexAccountRepository(sql, statements.accounts, objectOf),
    appKeys: new KnexAppKeyRepository(sql, statements.appKeys),
    applications: new KnexApplicationRepository(sql, statements.applications),
    audit: new KnexAuditRepository(sql, statements.audit, offset),
    changes: new KnexChangeRepository(sql, statements.changes),
    channels: new KnexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
    contents: new KnexDatabaseContents(sql, statements.contents),
    customAccounts: new KnexCustomAccountRepository(sql, statements.customAccounts, offset),
    departures: new KnexDepartureRepository(sql, statements.departures, offset),
    identityLinks: new KnexIdentityLinkRepository(sql, statements.identityLinks, offset),
    identityProviders: new KnexProviderRepository(sql, statements.identityProviders),
    keys: new KnexKeyRepository(sql, statements.keys, offset),
    locks: new KnexLockRepository(sql, statements.locks, offset),
    macros: new KnexMacroRepository(sql, statements.macros, offset),
    maintenance: new KnexMaintenanceSwitch(sql),
    model: new KnexModelRepository(sql, statements.model),
    objects: new KnexObjectRepository(sql, statements.objects, tables, offset),
    oneTime: new KnexOneTimeRepository(sql, statements.oneTime, offset),
    outbox: new KnexOutboxRepository(sql, statements.outbox, offset),
    passwordHistory: new KnexPasswordHistoryRepository(sql, statements.passwordHistory),
    secondFactors: new KnexSecondFactorRepository(sql, statements.secondFactors),
    sessions: new KnexSessionRepository(sql, statements.sessions, statements.channels, offset),
    throttle: new KnexThrottleRepository(sql, statements.throttle, offset),
  };
}
