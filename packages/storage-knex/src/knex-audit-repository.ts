import { type AuditEvent, type AuditRepository, type RecordedAuditEvent, objectIdOf, objectNumber } from "@sallyport/core";
import type { AuditRow, AuditStatements } from "./dialects/postgres/statements/audit-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexAuditRepository implements AuditRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: AuditStatements,
    private readonly offset: () => number,
  ) {}

  async append({ type, requestId, outcome, appKeyId, userId, address, appNames }: AuditEvent): Promise<void> {
    const user = userId === null ? null : objectNumber(userId);
    const names = JSON.stringify(appNames);
    await this.sql.run(this.statements.append, [type, requestId, outcome, appKeyId, user, address, names, this.offset()]);
  }

  async read(after: number, limit: number): Promise<RecordedAuditEvent[]> {
    const { rows } = await this.sql.run<AuditRow>(this.statements.read, [after, limit]);
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      at: Number(row.at),
      type: row.type,
      requestId: row.request_id,
      outcome: row.outcome,
      appKeyId: row.app_key_id,
      userId: row.user_id === null ? null : objectIdOf(Number(row.user_id)),
      address: row.address,
      appNames: row.app_names,
    }));
  }
}
