import type { Repositories } from "@sallyport/core";
import type { Statements } from "./dialects/postgres/statements/statements.ts";
import type { Tables } from "./dialects/postgres/tables.ts";
import { KnexAccountRepository } from "./knex-account-repository.ts";
import { KnexAdmissionRepository } from "./knex-admission-repository.ts";
import { KnexAppKeyRepository } from "./knex-app-key-repository.ts";
import { KnexAuditRepository } from "./knex-audit-repository.ts";
import { KnexChangeRepository } from "./knex-change-repository.ts";
import { KnexChannelRepository } from "./knex-channel-repository.ts";
import { KnexDepartureRepository } from "./knex-departure-repository.ts";
import { KnexLockRepository } from "./knex-lock-repository.ts";
import { KnexModelRepository } from "./knex-model-repository.ts";
import { KnexObjectRepository } from "./knex-object-repository.ts";
import { KnexRecordRepository } from "./knex-record-repository.ts";
import { KnexSessionRepository } from "./knex-session-repository.ts";
import { KnexSettingsRepository } from "./knex-settings-repository.ts";
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
    accounts: new KnexAccountRepository(sql, statements.accounts, objectOf, offset),
    appKeys: new KnexAppKeyRepository(sql, statements.appKeys),
    audit: new KnexAuditRepository(sql, statements.audit, offset),
    changes: new KnexChangeRepository(sql, statements.changes),
    channels: new KnexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
    departures: new KnexDepartureRepository(sql, statements.departures, offset),
    locks: new KnexLockRepository(sql, statements.locks, offset),
    model: new KnexModelRepository(sql, statements.model, {
      hold: (transaction) => transaction.run(statements.holdModel, []),
      replacing: "on conflict (name) do update set definition = excluded.definition",
    }),
    objects: new KnexObjectRepository(sql, statements.objects, tables, offset),
    records: new KnexRecordRepository(sql, statements.records, offset),
    sessions: new KnexSessionRepository(sql, statements.sessions, statements.channels, offset),
    settings: new KnexSettingsRepository(sql, statements.settings),
    throttle: new KnexThrottleRepository(sql, statements.throttle, offset),
  };
}
