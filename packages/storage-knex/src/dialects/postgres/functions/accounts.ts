import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";

export const passThrottleFunction: Functions = {
  name: "pass_throttle",
  number: 2,
  statements: (tables) => [passThrottleDefinition(tables)],
};

/**
 * `keys` are all keys that `requested` and `reset_keys` name. Most log-ins have no earlier failure and need one lookup only.
 * `requested` is `{key, max_failures, initial_delay, max_delay, exemption}`, see `delayAfter` of the domain. `granted` is the key of an
 * exemption, written unless it was written within `renewal`. A new one can exceed the limit of its group.
 *
 * Only one transaction at a time writes an exemption, and the others leave it to that one. Its row would stay locked until the log-in
 * is committed, which can wait for other locks: the log-ins of a user from one network would wait for one another.
 */
function passThrottleDefinition({ passThrottle, schema, throttle }: Tables): string {
  return `create or replace function ${passThrottle} (
    keys text[], requested jsonb, reset_keys text[], ahead float8, granted text, granted_group text, at_most integer, lifetime float8, renewal float8
  ) returns void language plpgsql as $$
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    failed boolean;
    exempt_until timestamptz;
  begin
    select count(*) filter (where t.key is distinct from granted) > 0, max(t.forget_at) filter (where t.key = granted) into failed, exempt_until
    from ${throttle} t where t.key = any (keys || granted);
    if failed then
      perform from ${throttle} t
        join jsonb_to_recordset(requested) as a (key text, max_failures integer, initial_delay float8, max_delay float8, exemption text) on a.key = t.key
        where t.key = any (keys) and t.forget_at > now and t.failures >= a.max_failures
          and t.delayed_at + least(a.max_delay, a.initial_delay * power(2, least(t.failures - a.max_failures, 30))) * interval '1 millisecond' > now
          and not exists (select from ${throttle} e where e.key = a.exemption and e.forget_at > now);
      if found then
        raise exception using errcode = 'SP302', message = 'A delay runs.';
      end if;
      delete from ${throttle} t where t.key in (
        select f.key from ${throttle} f where f.key = any (reset_keys) order by f.key for update
      );
    end if;
    if granted is null or exempt_until >= now + (lifetime - renewal) * interval '1 millisecond' then
      return;
    end if;
    if not pg_try_advisory_xact_lock(hashtextextended('sallyport:${schema}:' || granted, 0)) then
      return;
    end if;
    insert into ${throttle} (key, failures, delayed_at, forget_at) values (granted, 0, now, now + lifetime * interval '1 millisecond')
    on conflict (key) do update set delayed_at = excluded.delayed_at, forget_at = excluded.forget_at;
    if exempt_until is null then
      delete from ${throttle} t where t.key = any (array(
        select s.key from ${throttle} s where s.key = any (array(
          select g.key from ${throttle} g where g.key > granted_group and g.key < granted_group || '~' order by g.forget_at desc, g.key offset at_most
        )) for update skip locked
      ));
    end if;
  end
  $$`;
}

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
