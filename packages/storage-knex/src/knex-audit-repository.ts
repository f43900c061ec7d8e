import {
  type AuditEvent,
  type AuditRepository,
  objectIdOf,
  objectNumber,
  type RecordedAuditEvent,
} from "@sallyport/core";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

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

export interface AuditStatements {
  /** 1 type, 2 request, 3 outcome, 4 app key, 5 user, 6 address, 7 app names, 8 class or null, 9 macro or null, 10 provider or null, 11 offset of the clock. */
  readonly append: Statement;
  /** The same, and 12 key. */
  readonly tally: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
  readonly settle: Statement;
  /** 1 sequence to begin after, 2 limit. */
  readonly read: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
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
  readonly user_id: string | null;
  readonly address: string;
  readonly app_names: string[];
  readonly class_name: string | null;
  readonly macro_name: string | null;
  readonly provider_name: AuditEvent["providerName"];
}
