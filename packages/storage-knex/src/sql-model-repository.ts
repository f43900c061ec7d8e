import { acceptStorable, type ClassDefinition, type ModelRepository } from "@sallyport/storage";
import { withSettings } from "./sql-errors.ts";
import { insertRows, type SqlRunner, statement } from "./sql-runner.ts";

/** Model changes exclude writes of objects, so that writes fit the model under which they commit. */
export const sqlModelRepository = (
  sql: SqlRunner,
  statements: ModelStatements,
  dialect: ModelDialect,
): ModelRepository => ({
  async load() {
    const { rows } = await sql.run<ModelRow>(statements.load);
    const { generation } = withSettings(rows);
    return { generation: Number(generation), classes: rows.flatMap(({ definition }) => definition ?? []) };
  },

  async lock() {
    await sql.atomically(dialect.lock);
  },

  async change({ put, removed = [] }, expectedGeneration) {
    acceptStorable([put, removed]);
    const latest = new Map(put.map((definition) => [definition.name, JSON.stringify(definition)]));
    const names = [...removed];
    return sql.atomically(async (transaction) => {
      await dialect.lock(transaction);
      const { rowCount } = await transaction.run(statements.raise, [expectedGeneration]);
      if (rowCount === 0) return "stale";
      for (const name of names) await transaction.run(statements.remove, [name]);
      await insertRows(transaction, statements.classes, ["name", "definition"], latest, {
        otherwise: dialect.replacing,
      });
      return "ok";
    });
  },
});

interface ModelRow {
  readonly generation: string | number;
  /** Null in the single row of a model without classes. */
  readonly definition: ClassDefinition | null;
}

interface ModelDialect {
  /** Blocks object writes and model changes of others until the transaction ends. */
  readonly lock: (sql: SqlRunner) => Promise<unknown>;
  /** The clause after the values that replaces an existing class of the same name. */
  readonly replacing: string;
}

type ModelStatements = ReturnType<typeof modelStatements>;

export function modelStatements({ classes, settings }: Readonly<Record<"classes" | "settings", string>>) {
  return {
    classes,
    /** `ModelRow`s of one snapshot. */
    load: statement(
      "model_load",
      `select s.model_generation as generation, c.definition from ${settings} s left join ${classes} c on true order by c.position`,
    ),
    /** 1 expected generation. Changes a row if the generation is current. */
    raise: statement(
      "model_raise",
      `update ${settings} set model_generation = model_generation + 1 where model_generation = $1`,
    ),
    /** 1 class name. */
    remove: statement("model_remove", `delete from ${classes} where name = $1`),
  };
}
