import { type AuditEvent, type AuditRepository, objectNumber, type RecordedAuditEvent } from "@sallyport/storage";
import { archivedColumns, membersOf } from "./archived-records.ts";
import type { SqlRunner, SqlValue, Statement } from "./sql-runner.ts";

const columns = archivedColumns("audit");

/** Those of an `AuditEvent`, in the order of the parameters. */
export const auditDetails = columns
  .filter(({ member }) => !["sequence", "at", "since", "attempts"].includes(member))
  .map(({ column }) => column)
  .join(", ");

export function sqlAuditRepository(sql: SqlRunner, statements: AuditStatements, offset: () => number): AuditRepository {
  return {
    async append(event, tally) {
      const values = valuesOf(event);
      await (tally === undefined ? sql.run(statements.append, values) : sql.run(statements.tally, [...values, tally]));
    },

    async settle(age, limit) {
      const { rowCount } = await sql.run(statements.settle, [age, limit, offset()]);
      return rowCount;
    },

    async read(after, limit) {
      const { rows } = await sql.run<Readonly<Record<string, unknown>>>(statements.read, [after, limit]);
      return rows.map((row) => membersOf(columns, row) as unknown as RecordedAuditEvent);
    },

    async sweep(age, limit) {
      const { rowCount } = await sql.run(statements.sweep, [age, limit, offset()]);
      return rowCount;
    },
  };

  function valuesOf(event: AuditEvent): SqlValue[] {
    return [
      event.type,
      event.requestId,
      event.outcome,
      event.appKeyId,
      event.actorId === null ? null : objectNumber(event.actorId),
      event.subjectId === null ? null : objectNumber(event.subjectId),
      event.address,
      JSON.stringify(event.appNames),
      event.className,
      event.macroName,
      event.providerName,
      JSON.stringify(event.changes),
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
