import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { AppKeyStatements } from "../../../statements/app-key-statements.ts";
import type { Tables } from "../tables.ts";

export function appKeyStatements({ appKeys }: Tables): AppKeyStatements {
  return {
    create: additionUnlessKnown("app_key_create", `insert into ${appKeys} (id, name, digest, app_names, origins) values ($1, $2, $3, $4, $5)`),
    listsOrigin: statement("app_key_lists_origin", `select 1 from ${appKeys} where enabled and json_contains(origins, json_quote($1)) limit 1`),
  };
}
