import type { Tables } from "../tables.ts";

/** All administrators are held first, so that two who remove one another are not both right in what they see. */
export function removeAccountsFunction({ accounts, removeAccounts }: Tables): string {
  const active = "administrator and not disabled";
  return `create or replace function ${removeAccounts} (users bigint[]) returns boolean language plpgsql as $$
  begin
    if exists (select from ${accounts} where user_id = any (users) and ${active}) then
      perform from ${accounts} where administrator order by user_id for update;
      if not exists (select from ${accounts} where ${active} and user_id <> all (users)) then
        return false;
      end if;
    end if;
    delete from ${accounts} where user_id = any (users);
    return true;
  end
  $$`;
}
