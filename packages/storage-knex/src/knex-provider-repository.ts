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
import type { Statement } from "./statement.ts";

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

export interface ProviderStatements {
  /** 1 type, or null for all. By type. */
  readonly read: Statement;
  /** 1 type, 2 name, 3 sealed data, 4 default user or null, 5 app names. Takes the place of the entry of the type. */
  readonly put: Statement;
  /** 1 type. */
  readonly remove: Statement;
}

interface ProviderRow {
  readonly type: ProviderType;
  readonly name: string;
  readonly sealed_data: string;
  readonly default_user_id: string | null;
  readonly app_names: string[];
}
