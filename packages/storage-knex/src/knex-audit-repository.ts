import {
  type AuditEvent,
  type AuditRepository,
  type RecordedAuditEvent,
  objectIdOf,
  objectNumber,
} from "@sallyport/core";
import type { AuditRow, AuditStatements } from "./statements/audit-statements.ts";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";

export class KnexAuditRepository implements AuditRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: AuditStatements,
    private readonly offset: () => number,
  ) {}

  async append(event: AuditEvent): Promise<void> {
    await this.sql.run(this.statements.append, this.valuesOf(event));
  }

  async tally(key: string, event: AuditEvent): Promise<void> {
    await this.sql.run(this.statements.tally, [...this.valuesOf(event), key]);
  }

  async settle(age: number, limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.settle, [age, limit, this.offset()]);
    return rowCount;
  }

  async read(after: number, limit: number): Promise<RecordedAuditEvent[]> {
    const { rows } = await this.sql.run<AuditRow>(this.statements.read, [after, limit]);
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      at: Number(row.at),
      since: Number(row.since),
      attempts: Number(row.attempts),
      type: row.type,
      requestId: row.request_id,
      outcome: row.outcome,
      appKeyId: row.app_key_id,
      userId: row.user_id === null ? null : objectIdOf(Number(row.user_id)),
      address: row.address,
      appNames: row.app_names,
      className: row.class_name,
      macroName: row.macro_name,
      providerName: row.provider_name,
    }));
  }

  async sweep(age: number, limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.sweep, [age, limit, this.offset()]);
    return rowCount;
  }

  private valuesOf({
    type,
    requestId,
    outcome,
    appKeyId,
    userId,
    address,
    appNames,
    className,
    macroName,
    providerName,
  }: AuditEvent): SqlValue[] {
    const user = userId === null ? null : objectNumber(userId);
    return [
      type,
      requestId,
      outcome,
      appKeyId,
      user,
      address,
      JSON.stringify(appNames),
      className,
      macroName,
      providerName,
      this.offset(),
    ];
  }
}
