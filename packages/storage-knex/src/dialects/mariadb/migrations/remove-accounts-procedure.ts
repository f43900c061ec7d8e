import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/** All administrators are held first, so that two who remove one another are not both right in what they see. */
export function removeAccountsProcedure({ removeAccounts }: Tables): string {
  const listed = "(select number from json_table(users, '$[*]' columns (number bigint path '$')) listed)";
  const active = "administrator and not disabled";
  return procedure(
    removeAccounts,
    "users longtext",
    `declare held bigint;
      if exists (select 1 from ${own.accounts} where user_id in ${listed} and ${active}) then
        select count(*) into held from ${own.accounts} where administrator for update;
        if not exists (select 1 from ${own.accounts} where ${active} and user_id not in ${listed}) then
          select false as removed;
          leave work;
        end if;
      end if;
      delete from ${own.accounts} where user_id in ${listed};
      select true as removed;`,
  );
}
