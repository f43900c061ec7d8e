import {
  acceptStorable,
  type ClassDefinition,
  type ModelDelta,
  type ModelRepository,
  type StoredModel,
} from "@sallyport/core";
import type { ModelStatements } from "./dialects/postgres/statements/object-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexModelRepository implements ModelRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ModelStatements,
  ) {}

  async load(): Promise<StoredModel> {
    const { rows } = await this.sql.run<{ generation: string; classes: ClassDefinition[] }>(this.statements.load, []);
    const [row] = rows as [{ generation: string; classes: ClassDefinition[] }];
    return { generation: Number(row.generation), classes: row.classes };
  }

  async hold(): Promise<void> {
    await this.sql.run(this.statements.hold, []);
  }

  async change({ put, removed = [] }: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale"> {
    acceptStorable([put, removed]);
    const latest = new Map(put.map((definition) => [definition.name, definition]));
    const definitions = JSON.stringify([...latest.values()]);
    const { rows } = await this.sql.atomically(async (sql) => {
      const holding = sql.run(this.statements.hold, []);
      const changing = sql.run<{ raised: boolean }>(this.statements.change, [expectedGeneration, definitions, removed]);
      const [, changed] = await Promise.all([holding, changing]);
      return changed;
    });
    return rows[0]?.raised === true ? "ok" : "stale";
  }
}
