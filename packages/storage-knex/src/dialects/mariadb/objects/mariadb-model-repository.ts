import {
  acceptStorable,
  type ClassDefinition,
  type ModelDelta,
  type ModelRepository,
  type StoredModel,
} from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import type { ModelStatements } from "../statements/model-statements.ts";
import { insertRows } from "./insert-rows.ts";
import { type ObjectContext, WritersTurn } from "./writers-turn.ts";

/** The model changes in turn with those who write objects: what is written fits the model under which it is committed. */
export class MariadbModelRepository implements ModelRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly model: ModelStatements,
    private readonly context: ObjectContext,
  ) {}

  async load(): Promise<StoredModel> {
    const { rows } = await this.sql.run<{ generation: number; definition: ClassDefinition | null }>(
      this.model.load,
      [],
    );
    return { generation: Number(rows[0]?.generation), classes: rows.flatMap(({ definition }) => definition ?? []) };
  }

  async hold(): Promise<void> {
    await this.sql.atomically((sql) => this.takeTurn(sql));
  }

  async change({ put, removed = [] }: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale"> {
    acceptStorable([put, removed]);
    const latest = new Map(put.map((definition) => [definition.name, JSON.stringify(definition)]));
    const names = [...removed];
    return this.sql.atomically(async (sql) => {
      await this.takeTurn(sql);
      const { rowCount } = await sql.run(this.model.raise, [expectedGeneration]);
      if (rowCount === 0) return "stale";
      for (const name of names) await sql.run(this.model.remove, [name]);
      await insertRows(
        sql,
        this.context.tables.classes,
        ["name", "definition"],
        latest,
        "on duplicate key update definition = values(definition)",
      );
      return "ok";
    });
  }

  private takeTurn(sql: SqlRunner): Promise<WritersTurn> {
    return WritersTurn.take(sql, this.context.statements, this.context.offset());
  }
}
