import type { Functions } from "../migrations/migration.ts";
import type { Tables } from "../tables.ts";

export const removeAccountsFunction: Functions = {
  name: "remove_accounts",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * All administrators are held first, so that two who remove one another are not both right in what they see. What belongs to users
 * names them as subjects, `user:<id>`; what belongs to their links and custom accounts names those.
 */
function definition(tables: Tables): string {
  const { accounts, customAccounts, records, removeAccounts } = tables;
  const active = "administrator and not disabled";
  return `create or replace function ${removeAccounts} (users bigint[], subjects text[]) returns boolean language plpgsql as $$
  declare
    owners text[];
  begin
    if exists (select from ${accounts} where user_id = any (users) and ${active}) then
      perform from ${accounts} where administrator order by user_id for update;
      if not exists (select from ${accounts} where ${active} and user_id <> all (users)) then
        return false;
      end if;
    end if;
    delete from ${accounts} where user_id = any (users);
    with customs as (delete from ${customAccounts} where user_id = any (users) returning id)
    select subjects || coalesce(array_agg(owner), '{}') into owners
    from (
      select 'link:' || (value ->> 'id') as owner from ${records} where kind = 'identityLink' and owner = any (subjects)
      union all select 'custom:' || id from customs
    ) removed where owner is not null;
    -- By the index of those that have an owner.
    delete from ${records} where owner = any (owners) and owner is not null;
    return true;
  end
  $$`;
}
