import { statement } from "../../../statement.ts";
import type { AppKeyStatements } from "../../../statements/app-key-statements.ts";
import type { Tables } from "../tables.ts";

export function appKeyStatements({ appKeys }: Tables): AppKeyStatements {
  return {
    create: statement(
      "app_key_create",
      `insert into ${appKeys} (id, name, digest, app_names, origins, return_addresses)
      values ($1::text, $2::text, $3::bytea, $4::jsonb, $5::jsonb, $6::jsonb) on conflict do nothing`,
    ),
    listsOrigin: statement(
      "app_key_lists_origin",
      `select from ${appKeys} where enabled and origins @> jsonb_build_array($1::text) limit 1`,
    ),
  };
}
