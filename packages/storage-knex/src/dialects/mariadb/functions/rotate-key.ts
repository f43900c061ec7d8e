import { later } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migration.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

export const rotateKeyProcedure: Functions = {
  name: "rotate_key",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/** Answers how many rows it has added: none unless the expected key is current and the new one unknown. Whoever comes second waits and sees what the first has left. */
function definition({ rotateKey }: Tables): string {
  return procedure(
    rotateKey,
    `of_kind varchar(16), new_id varchar(255), public_half text, private_half text, ahead double, expected_id varchar(255), overlap double`,
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare current_id varchar(255);
      select key_id into current_id from ${own.keys} where current_kind = of_kind for update;
      if not (current_id <=> expected_id) or exists (select 1 from ${own.keys} where kind = of_kind and key_id = new_id) then
        select 0 as row_count;
        leave work;
      end if;
      update ${own.keys} set accepted_until = ${later("clock", "overlap")} where kind = of_kind and key_id = expected_id;
      insert into ${own.keys} (kind, key_id, public_key, wrapped_private_key, created_at) values (of_kind, new_id, public_half, private_half, clock);
      select 1 as row_count;`,
  );
}
