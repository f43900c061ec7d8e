import { type Change, type ChangePosition, type ChangeRepository, objectIdOf, objectNumber } from "@sallyport/core";
import type { ChangeRow, ChangeStatements } from "./dialects/postgres/statements/change-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

/** Above the number of any object, and the highest that the column holds. */
const behindAll = "9223372036854775807";

export class KnexChangeRepository implements ChangeRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ChangeStatements,
  ) {}

  async watermark(): Promise<number> {
    const { rows } = await this.sql.run<{ watermark: string }>(this.statements.watermark, []);
    return Number(rows[0]?.watermark);
  }

  async read({ stamp, id }: ChangePosition, upTo: number, limit: number): Promise<Change[]> {
    const behind = id === null ? behindAll : objectNumber(id);
    const { rows } = await this.sql.run<ChangeRow>(this.statements.read, [stamp, behind, upTo, limit]);
    return rows.map(changeOf);
  }
}

function changeOf({ stamp, oid, uuid, class: className, version, kind }: ChangeRow): Change {
  return { stamp: Number(stamp), id: objectIdOf(Number(oid)), uuid, className, version, kind };
}
