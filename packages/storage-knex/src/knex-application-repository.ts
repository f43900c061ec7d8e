import { acceptStorable, type Application, type ApplicationRepository, isStorableText } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { ApplicationStatements } from "./statements/application-statements.ts";

export class KnexApplicationRepository implements ApplicationRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ApplicationStatements,
  ) {}

  async create({ name, seats }: Application): Promise<"created" | "nameTaken"> {
    acceptStorable(name);
    const { rowCount } = await this.sql.run(this.statements.create, [name, seats]);
    return rowCount === 1 ? "created" : "nameTaken";
  }

  async known(names: readonly string[]): Promise<string[]> {
    const possible = names.filter(isStorableText);
    if (possible.length === 0) return [];
    const { rows } = await this.sql.run<{ name: string }>(this.statements.known, [possible]);
    return rows.map(({ name }) => name);
  }

  async list(after: string | null, limit: number): Promise<Application[]> {
    const query = this.sql.table("applications").select("name", "seats").orderBy("name").limit(limit);
    const { rows } = await this.sql.build<Application>(after === null ? query : query.where("name", ">", after));
    return rows.map(({ name, seats }) => ({ name, seats }));
  }
}
