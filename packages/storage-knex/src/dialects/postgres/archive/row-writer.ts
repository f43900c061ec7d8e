import type { ArchiveRecord } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { WrittenTable } from "./archived-table.ts";

/** What is written at once: at most so many rows, and so many characters unless one row has more. */
const mostRows = 1_000;
const mostCharacters = 1_048_576;

/** Adds the records of one section, many in a statement. The next statement is put together while the database is at one. */
export class RowWriter {
  private rows: string[] = [];
  private characters = 0;
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: Run,
    private readonly table: WrittenTable,
  ) {}

  /** Answers a promise when it has to be awaited before more is added. */
  add(record: ArchiveRecord): Promise<void> | undefined {
    const rows = this.table.rowsOf(record);
    this.rows.push(rows);
    this.characters += rows.length;
    return this.rows.length < mostRows && this.characters < mostCharacters ? undefined : this.flush();
  }

  /** Resolves when everything that was added is in the database. */
  async end(): Promise<void> {
    await this.flush();
    await this.underWay;
  }

  private async flush(): Promise<void> {
    const values = [`[${this.rows.join()}]`];
    const isEmpty = this.rows.length === 0;
    this.rows = [];
    this.characters = 0;
    await this.underWay;
    if (isEmpty) return;
    this.underWay = this.run({ text: this.table.insert, values });
    // It is awaited before the next one, or at the end.
    this.underWay.catch(() => {});
  }
}
