import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";

export const removeAccountsFunction: Functions = {
  name: "remove_accounts",
  number: 1,
  statements: (tables) => [removeAccountsDefinition(tables)],
};

/**
 * Locks all administrators first, so that two administrators cannot remove each other. Records of users, links and
 * custom accounts name those as owners; `owners` starts with the owners that the caller passes.
 */
function removeAccountsDefinition(tables: Tables): string {
  const { accounts, customAccounts, records, removeAccounts } = tables;
  const active = "administrator and not disabled";
  return `create or replace function ${removeAccounts} (users bigint[], given text[], customs uuid[]) returns integer language plpgsql as $$
  declare
    owners text[];
    removed integer;
    gone integer;
  begin
    if exists (select from ${accounts} where user_id = any (users) and ${active}) then
      perform from ${accounts} where administrator order by user_id for update;
      if not exists (select from ${accounts} where ${active} and user_id <> all (users)) then
        return null;
      end if;
    end if;
    delete from ${accounts} where user_id = any (users);
    get diagnostics removed = row_count;
    with deleted as (delete from ${customAccounts} where user_id = any (users) or id = any (customs) returning id)
    select given || coalesce(array_agg(owner), '{}'), count(*) filter (where id = any (customs)) into owners, gone
    from (
      select null::uuid as id, 'link:' || (value ->> 'id') as owner from ${records} where kind = 'identityLink' and owner = any (given)
      union all select id, 'custom:' || id from deleted
    ) belongings where owner is not null;
    -- By the index of those that have an owner.
    delete from ${records} where owner = any (owners) and owner is not null;
    return removed + gone;
  end
  $$`;
}
