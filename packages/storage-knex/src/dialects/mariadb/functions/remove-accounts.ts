import { type Functions, procedure } from "../migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";

export const removeAccountsProcedure: Functions = {
  name: "remove_accounts",
  number: 1,
  statements: (tables) => [removeAccounts(tables)],
};

/**
 * Locks all administrators first, so that two administrators cannot remove each other. Records of users name them as
 * subjects. Records of their links and custom accounts name those, so they are deleted before them.
 */
function removeAccounts({ removeAccounts: name }: Tables): string {
  const listed = "(select number from json_table(users, '$[*]' columns (number bigint path '$')) listed)";
  const subjects = "(select value from json_table(subjects, '$[*]' columns (value varchar(200) path '$')) named)";
  const named = "(select id from json_table(customs, '$[*]' columns (id char(36) path '$')) chosen)";
  const active = "administrator and not disabled";
  // Joined, because an `in` list makes the engine scan the whole table.
  const owners = [
    `select value collate utf8mb4_nopad_bin as subject from ${subjects} named`,
    `select concat('link:', json_value(l.value, '$.id')) from ${subjects} u join ${own.records} l on l.owner = u.value collate utf8mb4_nopad_bin and l.kind = 'identityLink'`,
    `select concat('custom:', c.id) from ${listed} u join ${own.customAccounts} c on c.user_id = u.number`,
  ].join(" union all ");
  const takeFrom = (table: string, column = "subject") =>
    `delete t from ${table} t join (${owners}) o on o.subject = t.${column}`;
  return procedure(
    name,
    "users longtext, subjects longtext, customs longtext",
    `declare administrators, removed_count bigint;
      if exists (select 1 from ${own.accounts} where user_id in ${listed} and ${active}) then
        select count(*) into administrators from ${own.accounts} where administrator for update;
        if not exists (select 1 from ${own.accounts} where ${active} and user_id not in ${listed}) then
          select null as removed;
          leave work;
        end if;
      end if;
      delete from ${own.accounts} where user_id in ${listed};
      set removed_count = row_count();
      ${takeFrom(own.records, "owner")};
      delete c from ${own.customAccounts} c join ${named} n on n.id collate utf8mb4_nopad_bin = c.id;
      set removed_count = removed_count + row_count();
      delete t from ${own.customAccounts} t join ${listed} u on u.number = t.user_id;
      select removed_count as removed;`,
  );
}
