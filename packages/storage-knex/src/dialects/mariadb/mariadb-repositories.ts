import type { Repositories } from "@sallyport/core";
import { KnexAccountRepository } from "../../knex-account-repository.ts";
import { KnexAdmissionRepository } from "../../knex-admission-repository.ts";
import { KnexAppKeyRepository } from "../../knex-app-key-repository.ts";
import { KnexAuditRepository } from "../../knex-audit-repository.ts";
import { KnexChangeRepository } from "../../knex-change-repository.ts";
import { KnexChannelRepository } from "../../knex-channel-repository.ts";
import { KnexModelRepository } from "../../knex-model-repository.ts";
import { KnexRecordRepository } from "../../knex-record-repository.ts";
import { KnexSessionRepository } from "../../knex-session-repository.ts";
import { KnexSettingsRepository } from "../../knex-settings-repository.ts";
import { KnexThrottleRepository } from "../../knex-throttle-repository.ts";
import type { SqlRunner } from "../../sql-runner.ts";
import { MariadbDepartureRepository } from "./objects/mariadb-departure-repository.ts";
import { MariadbLockRepository } from "./objects/mariadb-lock-repository.ts";
import { MariadbObjectRepository } from "./objects/mariadb-object-repository.ts";
import { objectOf } from "./objects/object-row.ts";
import { type ObjectContext, stampOf, WritersTurn } from "./objects/writers-turn.ts";
import type { Statements } from "./statements/statements.ts";

/** Repositories over one runner: those of the storage, or those of a transaction. */
export function mariadbRepositories(sql: SqlRunner, statements: Statements, context: ObjectContext): Repositories {
  const { offset } = context;
  return {
    admission: new KnexAdmissionRepository(sql, statements.admission, offset),
    accounts: new KnexAccountRepository(sql, statements.accounts, objectOf, offset),
    appKeys: new KnexAppKeyRepository(sql, statements.appKeys),
    audit: new KnexAuditRepository(sql, statements.audit, offset),
    changes: new KnexChangeRepository(sql, statements.changes, stampOf),
    channels: new KnexChannelRepository(sql, statements.channels, statements.cipherBlocks, offset),
    departures: new MariadbDepartureRepository(sql, context),
    locks: new MariadbLockRepository(sql, statements.locks, context),
    model: new KnexModelRepository(sql, statements.model, {
      hold: (inTurn) => WritersTurn.take(inTurn, context.statements, offset()),
      replacing: "on duplicate key update definition = values(definition)",
    }),
    objects: new MariadbObjectRepository(sql, context),
    records: new KnexRecordRepository(sql, statements.records, offset),
    sessions: new KnexSessionRepository(sql, statements.sessions, statements.channels, offset),
    settings: new KnexSettingsRepository(sql, statements.settings),
    throttle: new KnexThrottleRepository(sql, statements.throttle, offset),
  };
}
