import { setImmediate as turn } from "node:timers/promises";
import type { ArchiveRecord } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { WrittenTable } from "./archived-table.ts";

/** What is written at once: at most so many rows, and so many characters unless one row has more. */
const mostRows = 1_000;
const mostCharacters = 1_048_576;

/**
 * After so many rows the driver gets a turn. Records may come for long without one, and only then it sends on what the connection did not
 * take at once, and learns that the database is through.
 */
const rowsBetweenTurns = 64;

/** Adds the records of one section, many in a statement. While the database is at one, the next one is on its way, and one is put together. */
export class RowWriter {
  private rows = 0;
  private elements = "";
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: Run,
    private readonly table: WrittenTable,
  ) {}

  /** Answers a promise when it has to be awaited before more is added. */
  add(record: ArchiveRecord): Promise<void> | undefined {
    const elements = this.table.rowsOf(record);
    this.elements = this.rows === 0 ? elements : `${this.elements},${elements}`;
    this.rows += 1;
    if (this.rows === mostRows || this.elements.length >= mostCharacters) return this.flush();
    return this.rows % rowsBetweenTurns === 0 ? turn() : undefined;
  }

  /** Resolves when everything that was added is in the database. */
  async end(): Promise<void> {
    await this.flush();
    await this.underWay;
  }

  /** Resolves when the statement before is through. */
  private async flush(): Promise<void> {
    const before = this.underWay;
    if (this.rows > 0) {
      this.underWay = this.run({ text: this.table.insert, values: [`[${this.elements}]`] });
      // It is awaited with the next one, or at the end.
      this.underWay.catch(() => {});
    }
    this.rows = 0;
    this.elements = "";
    await before;
  }
}
