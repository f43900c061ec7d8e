import { addMilliseconds } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

export const admitCallbackProcedure: Functions = {
  name: "admit_callback",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Spends the provider state of a callback, unless maintenance is on. Answers its value with the app key named in
 * it. A concurrent call waits for the row and then finds it deleted.
 */
function definition({ admitCallback }: Tables): string {
  const named = "kind = 'providerState' and id = state";
  const key = "json_value(stood, '$.appKey')";
  return procedure(
    admitCallback,
    "state varchar(64), ahead double",
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare stood longtext character set utf8mb4;
      begin
        declare continue handler for not found set stood = null;
        select value into stood from ${own.records}
        where ${named} and expires_at > clock and not (select maintenance from ${own.settings}) for update;
      end;
      if stood is not null then
        delete from ${own.records} where ${named};
      end if;
      select g.maintenance, g.model_generation, g.macro_generation,
        k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses, stood as payload
      from ${own.settings} g left join ${own.appKeys} k on k.digest = if(${key} regexp '^[0-9a-f]{64}$', unhex(${key}), null);`,
  );
}
