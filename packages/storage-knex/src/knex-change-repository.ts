import { type Change, type ChangeRepository, objectIdOf, objectNumber } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import { statement } from "./statement.ts";

/** Greater than any object number. */
const behindAll = Number.MAX_SAFE_INTEGER;

export const knexChangeRepository = (
  sql: SqlRunner,
  statements: ChangeStatements,
  /** The stamp of a transaction that has written, if it is the highest of all. */
  ownStamp: (sql: SqlRunner) => number | undefined = () => undefined,
): ChangeRepository => ({
  async watermark() {
    const stamp = ownStamp(sql);
    if (stamp !== undefined) return stamp - 1;
    const { rows } = await sql.run<{ watermark: string | number }>(statements.watermark);
    return Number(rows[0]?.watermark);
  },

  async read({ stamp, id }, upTo, limit) {
    const behind = id === null ? behindAll : objectNumber(id);
    const { rows } = await sql.run<ChangeRow>(statements.read, [stamp, behind, upTo, limit]);
    return rows.map(changeOf);
  },
});

interface ChangeRow {
  readonly stamp: string | number;
  readonly oid: string | number;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly kind: Change["kind"];
}

function changeOf({ stamp, oid, uuid, class: className, version, kind }: ChangeRow): Change {
  return { stamp: Number(stamp), id: objectIdOf(Number(oid)), uuid, className, version: Number(version), kind };
}

type ChangeStatements = ReturnType<typeof changeStatements>;

interface ChangeDialect {
  /** Selects `watermark`. */
  readonly watermark: string;
  /** A condition that a row comes after stamp $1 and object number $2, served by an index. */
  readonly behind: string;
}

export function changeStatements(
  { tombstones, objects }: Readonly<Record<"tombstones" | "objects", string>>,
  { watermark, behind }: ChangeDialect,
) {
  // The first changes of one table, read from its index.
  const heads = (table: string, kind: string) =>
    `(select stamp, oid, uuid, class, version, ${kind} as kind from ${table}
    where ${behind} and stamp <= $3 order by stamp, oid limit $4)`;
  const deleted = heads(tombstones, "case when attributes is null then 'deleted' else 'recycled' end");
  return {
    watermark: statement("change_watermark", watermark),
    /** 1 and 2 stamp and object number to start after, 3 highest stamp, 4 limit. */
    read: statement("change_read", `${heads(objects, "'stored'")} union all ${deleted} order by stamp, oid limit $4`),
  };
}
