import { statement } from "../../../statement.ts";
import type { ProviderStatements } from "../../../statements/provider-statements.ts";
import type { Tables } from "../tables.ts";

export function providerStatements({ identityProviders }: Tables): ProviderStatements {
  const columns = "type, name, sealed_data, default_user_id, app_names";
  return {
    read: statement(
      "provider_read",
      `select ${columns} from ${identityProviders} where type = $1::text or $1::text is null order by type`,
    ),
    put: statement(
      "provider_put",
      `insert into ${identityProviders} (${columns}) values ($1::text, $2::text, $3::text, $4::bigint, $5::jsonb)
      on conflict (type) do update set name = excluded.name, sealed_data = excluded.sealed_data, default_user_id = excluded.default_user_id,
        app_names = excluded.app_names`,
    ),
    remove: statement("provider_remove", `delete from ${identityProviders} where type = $1::text`),
  };
}
