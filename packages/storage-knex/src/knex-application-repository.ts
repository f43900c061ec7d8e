import {
  acceptStorable,
  type Application,
  type ApplicationRepository,
  isStorableText,
  type NewApplication,
  type SecondFactorRule,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

interface ApplicationRow extends Pick<Application, "name" | "seats"> {
  readonly second_factor: SecondFactorRule;
}

export class KnexApplicationRepository implements ApplicationRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ApplicationStatements,
  ) {}

  async create({ name, seats, secondFactor = "off" }: NewApplication): Promise<"created" | "nameTaken"> {
    acceptStorable(name);
    const { rowCount } = await this.sql.run(this.statements.create, [name, seats, secondFactor]);
    return rowCount === 1 ? "created" : "nameTaken";
  }

  async known(names: readonly string[]): Promise<string[]> {
    const possible = names.filter(isStorableText);
    if (possible.length === 0) return [];
    const { rows } = await this.sql.run<{ name: string }>(this.statements.known, [possible]);
    return rows.map(({ name }) => name);
  }

  async askingForFactors(names: readonly string[]): Promise<Pick<Application, "name" | "secondFactor">[]> {
    const possible = names.filter(isStorableText);
    if (possible.length === 0) return [];
    const { rows } = await this.sql.run<ApplicationRow>(this.statements.askingForFactors, [possible]);
    return rows.map(({ name, second_factor: secondFactor }) => ({ name, secondFactor }));
  }

  async setSecondFactor(name: string, rule: SecondFactorRule): Promise<boolean> {
    if (!isStorableText(name)) return false;
    const { rowCount } = await this.sql.build(
      this.sql.table("applications").where("name", name).update({ second_factor: rule }),
    );
    return rowCount === 1;
  }

  async list(after: string | null, limit: number): Promise<Application[]> {
    const query = this.sql.table("applications").select("name", "seats", "second_factor").orderBy("name").limit(limit);
    const { rows } = await this.sql.build<ApplicationRow>(after === null ? query : query.where("name", ">", after));
    return rows.map(({ name, seats, second_factor: secondFactor }) => ({ name, seats, secondFactor }));
  }
}

export interface ApplicationStatements {
  /** 1 name, 2 seats or null, 3 rule for second factors. Adds a row, unless the name is known. */
  readonly create: Statement;
  /** 1 array of names. Those that are known. */
  readonly known: Statement;
  /** 1 array of names. `name` and `second_factor` of those whose rule is not `off`. */
  readonly askingForFactors: Statement;
}
