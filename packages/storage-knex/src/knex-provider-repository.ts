import {
  acceptStorable,
  isObjectId,
  objectIdOf,
  objectNumber,
  type ProviderEntry,
  type ProviderRepository,
  type ProviderType,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { ProviderRow, ProviderStatements } from "./statements/provider-statements.ts";

export class KnexProviderRepository implements ProviderRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ProviderStatements,
  ) {}

  async find(type: ProviderType): Promise<ProviderEntry | null> {
    const { rows } = await this.sql.run<ProviderRow>(this.statements.read, [type]);
    return rows[0] === undefined ? null : entryOf(rows[0]);
  }

  async put({ type, name, sealedData, defaultUserId, appNames }: ProviderEntry): Promise<void> {
    acceptStorable([name, sealedData, appNames]);
    const user = defaultUserId !== null && isObjectId(defaultUserId) ? objectNumber(defaultUserId) : null;
    await this.sql.run(this.statements.put, [type, name, sealedData, user, JSON.stringify(appNames)]);
  }

  async remove(type: ProviderType): Promise<boolean> {
    const { rowCount } = await this.sql.run(this.statements.remove, [type]);
    return rowCount === 1;
  }

  async list(): Promise<ProviderEntry[]> {
    const { rows } = await this.sql.run<ProviderRow>(this.statements.read, [null]);
    return rows.map(entryOf);
  }
}

function entryOf({ type, name, sealed_data, default_user_id, app_names }: ProviderRow): ProviderEntry {
  const defaultUserId = default_user_id === null ? null : objectIdOf(Number(default_user_id));
  return { type, name, sealedData: sealed_data, defaultUserId, appNames: app_names };
}
