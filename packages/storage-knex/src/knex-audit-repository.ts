import { type AuditEvent, type AuditRepository, objectIdOf, objectNumber } from "@sallyport/storage";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

/** The columns of an `AuditEvent`, in the order of the parameters. */
export const auditDetails =
  "type, request_id, outcome, app_key_id, actor_id, subject_id, address, app_names, class_name, macro_name, provider_name, changes";

export function knexAuditRepository(
  sql: SqlRunner,
  statements: AuditStatements,
  offset: () => number,
): AuditRepository {
  return {
    async append(event) {
      await sql.run(statements.append, valuesOf(event));
    },

    async tally(key, event) {
      await sql.run(statements.tally, [...valuesOf(event), key]);
    },

    async settle(age, limit) {
      const { rowCount } = await sql.run(statements.settle, [age, limit, offset()]);
      return rowCount;
    },

    async read(after, limit) {
      const { rows } = await sql.run<AuditRow>(statements.read, [after, limit]);
      return rows.map((row) => ({
        sequence: Number(row.sequence),
        at: Number(row.at),
        since: Number(row.since),
        attempts: Number(row.attempts),
        type: row.type,
        requestId: row.request_id,
        outcome: row.outcome,
        appKeyId: row.app_key_id,
        actorId: row.actor_id === null ? null : objectIdOf(Number(row.actor_id)),
        subjectId: row.subject_id === null ? null : objectIdOf(Number(row.subject_id)),
        address: row.address,
        appNames: row.app_names,
        className: row.class_name,
        macroName: row.macro_name,
        providerName: row.provider_name,
        changes: row.changes,
      }));
    },

    async sweep(age, limit) {
      const { rowCount } = await sql.run(statements.sweep, [age, limit, offset()]);
      return rowCount;
    },
  };

  function valuesOf({
    type,
    requestId,
    outcome,
    appKeyId,
    actorId,
    subjectId,
    address,
    appNames,
    className,
    macroName,
    providerName,
    changes,
  }: AuditEvent): SqlValue[] {
    return [
      type,
      requestId,
      outcome,
      appKeyId,
      actorId === null ? null : objectNumber(actorId),
      subjectId === null ? null : objectNumber(subjectId),
      address,
      JSON.stringify(appNames),
      className,
      macroName,
      providerName,
      JSON.stringify(changes),
      offset(),
    ];
  }
}

export interface AuditStatements {
  /** 1 type, 2 request, 3 outcome, 4 app key, 5 actor, 6 subject, 7 address, 8 app names, 9 class, 10 macro, 11 provider (each or null), 12 changes, 13 clock offset. */
  readonly append: Statement;
  /** The parameters of `append`, and 14 key. */
  readonly tally: Statement;
  /** 1 minimum age, 2 limit, 3 clock offset. */
  readonly settle: Statement;
  /** 1 sequence to start after, 2 limit. */
  readonly read: Statement;
  /** 1 minimum age, 2 limit, 3 clock offset. */
  readonly sweep: Statement;
}

interface AuditRow {
  readonly sequence: string;
  readonly at: string;
  readonly since: string;
  readonly attempts: string;
  readonly type: AuditEvent["type"];
  readonly request_id: string;
  readonly outcome: AuditEvent["outcome"];
  readonly app_key_id: string;
  readonly actor_id: string | null;
  readonly subject_id: string | null;
  readonly address: string;
  readonly app_names: string[];
  readonly class_name: string | null;
  readonly macro_name: string | null;
  readonly provider_name: AuditEvent["providerName"];
  readonly changes: AuditEvent["changes"];
}
