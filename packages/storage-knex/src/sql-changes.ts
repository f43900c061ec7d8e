import { setTimeout as delay } from "node:timers/promises";
import {
  type Change,
  type ChangeQuery,
  isStorableText,
  objectIdOf,
  objectNumber,
  type ObjectRepository,
  ServiceError,
} from "@sallyport/storage";
import type { SqlReader, SqlRunner, Statement } from "./sql-runner.ts";

/** Greater than any object number. */
const behindAll = Number.MAX_SAFE_INTEGER;

/** Milliseconds for which a writer can be between the two steps of taking a stamp: its process was stopped there. */
const writerTimeout = 5_000;

interface ChangeDialect {
  /** Selects `watermark`: null while a writer is taking its stamp, no row on a standby. */
  readonly watermark: Statement;
  /** The stamp of a transaction that has written, if it is the highest of all. */
  readonly ownStamp?: (sql: SqlRunner) => number | undefined;
  /** The rows of a page, or some more. */
  readonly read: (sql: SqlReader, query: SelectedChanges) => Promise<readonly ChangeRow[]>;
}

/** The values of a `ChangeQuery`. */
export interface SelectedChanges extends Pick<ChangeQuery, "upTo" | "limit"> {
  /** Each class once. */
  readonly classes: readonly string[];
  /** The stamp and the object number to start after. */
  readonly after: readonly [stamp: number, number: number];
}

/** The feed of changes of a repository of objects. */
export const sqlChanges = (
  sql: SqlRunner,
  { watermark, ownStamp, read }: ChangeDialect,
): Pick<ObjectRepository, "watermark" | "changes"> => ({
  async watermark(options = {}) {
    const stamp = ownStamp?.(sql);
    if (stamp !== undefined) return stamp - 1;
    for (const end = performance.now() + writerTimeout; ; await delay(1)) {
      const [row] = (await sql.reading(options).run<{ watermark: string | number | null }>(watermark)).rows;
      if (row === undefined) throw new ServiceError(704, { detail: "The database server is a standby." });
      if (row.watermark !== null) return Number(row.watermark);
      if (performance.now() > end) throw new ServiceError(706, { detail: "A writer does not finish its first write." });
    }
  },

  async changes({ classes, after: { stamp, id }, upTo, limit }, options = {}) {
    const names = [...new Set(classes)].filter(isStorableText);
    const after = [stamp, id === null ? behindAll : objectNumber(id)] as const;
    const rows = await read(sql.reading(options), { classes: names, after, upTo, limit });
    const changes: Change[] = [];
    for (const row of rows.slice(0, limit)) if (row.oid !== null) changes.push(changeOf(row, row.oid));
    return { changes, swept: Number(rows[0]?.swept) };
  },
});

/** A row of a page. A page without changes is one row without an object. */
export interface ChangeRow {
  readonly swept: string | number;
  readonly stamp: string | number;
  readonly oid: string | number | null;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly kind: Change["kind"];
  readonly readers: readonly number[] | null;
  readonly readers_before: readonly number[] | null;
  readonly reveals: boolean | number;
}

function changeOf(
  { stamp, uuid, class: className, version, kind, readers, readers_before, reveals }: ChangeRow,
  oid: string | number,
): Change {
  return {
    stamp: Number(stamp),
    id: objectIdOf(Number(oid)),
    uuid,
    className,
    version: Number(version),
    kind,
    readers: readers?.map(objectIdOf) ?? null,
    readersBefore: readers_before?.map(objectIdOf) ?? null,
    reveals: Boolean(reveals),
  };
}
