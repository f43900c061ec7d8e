import type { SqlRunner, SqlValue } from "../../../sql-runner.ts";
import { insertRows } from "../../../insert-rows.ts";

/** What is kept in memory before it is written. */
const mostRows = 500;
const mostCharacters = 1_048_576;

/** Inserts rows of one table, many at a time. */
export class RowWriter {
  private rows: (readonly SqlValue[])[] = [];
  private characters = 0;

  constructor(
    private readonly sql: SqlRunner,
    private readonly table: string,
    private readonly columns: readonly string[],
  ) {}

  async add(rows: readonly (readonly SqlValue[])[]): Promise<void> {
    for (const row of rows) {
      this.rows.push(row);
      this.characters += row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
      if (this.rows.length >= mostRows || this.characters >= mostCharacters) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const rows = this.rows;
    this.rows = [];
    this.characters = 0;
    await insertRows(this.sql, this.table, this.columns, rows);
  }
}
