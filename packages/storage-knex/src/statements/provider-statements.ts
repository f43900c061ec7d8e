import type { ProviderType } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface ProviderStatements {
  /** 1 type, or null for all. By type. */
  readonly read: Statement;
  /** 1 type, 2 name, 3 sealed data, 4 default user or null, 5 app names. Takes the place of the entry of the type. */
  readonly put: Statement;
  /** 1 type. */
  readonly remove: Statement;
}

export interface ProviderRow {
  readonly type: ProviderType;
  readonly name: string;
  readonly sealed_data: string;
  readonly default_user_id: string | null;
  readonly app_names: string[];
}
