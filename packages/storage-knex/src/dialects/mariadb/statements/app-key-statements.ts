import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { AppKeyStatements } from "../../../knex-app-key-repository.ts";
import type { Tables } from "../tables.ts";

export function appKeyStatements({ appKeys }: Tables): AppKeyStatements {
  return {
    create: additionUnlessKnown(
      "app_key_create",
      `insert into ${appKeys} (id, name, digest, app_names, origins, return_addresses) values ($1, $2, $3, $4, $5, $6)`,
    ),
    listsOrigin: statement(
      "app_key_lists_origin",
      `select 1 from ${appKeys} k where k.enabled and exists (
        select 1 from json_table(k.origins, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed where listed.value = $1
      ) limit 1`,
    ),
  };
}
