import { type Change, type ChangePosition, type ChangeRepository, objectIdOf, objectNumber } from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import type { ChangeRow, ChangeStatements } from "../statements/change-statements.ts";
import { stampOf } from "./writers-turn.ts";

/** Above the number of any object. */
const behindAll = Number.MAX_SAFE_INTEGER;

export class MariadbChangeRepository implements ChangeRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ChangeStatements,
  ) {}

  async watermark(): Promise<number> {
    const stamp = stampOf(this.sql);
    if (stamp !== undefined) return stamp - 1;
    // Those who write have the row until they have ended, so that what is read of it is behind all that is there.
    const { rows } = await this.sql.run<{ watermark: number }>(this.statements.watermark, []);
    return Number(rows[0]?.watermark);
  }

  async read({ stamp, id }: ChangePosition, upTo: number, limit: number): Promise<Change[]> {
    const behind = id === null ? behindAll : objectNumber(id);
    const { rows } = await this.sql.run<ChangeRow>(this.statements.read, [stamp, behind, upTo, limit]);
    return rows.map(changeOf);
  }
}

function changeOf({ stamp, oid, uuid, class: className, version, kind }: ChangeRow): Change {
  return { stamp: Number(stamp), id: objectIdOf(Number(oid)), uuid, className, version: Number(version), kind };
}
