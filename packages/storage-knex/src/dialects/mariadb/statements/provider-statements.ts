import { statement } from "../../../statement.ts";
import type { ProviderStatements } from "../../../knex-provider-repository.ts";
import type { Tables } from "../tables.ts";

export function providerStatements({ identityProviders }: Tables): ProviderStatements {
  const columns = "type, name, sealed_data, default_user_id, app_names";
  return {
    read: statement(
      "provider_read",
      `select ${columns} from ${identityProviders} where type = $1 or $1 is null order by type`,
    ),
    put: statement(
      "provider_put",
      `insert into ${identityProviders} (${columns}) values ($1, $2, $3, $4, $5)
      on duplicate key update name = value(name), sealed_data = value(sealed_data), default_user_id = value(default_user_id), app_names = value(app_names)`,
    ),
    remove: statement("provider_remove", `delete from ${identityProviders} where type = $1`),
  };
}
