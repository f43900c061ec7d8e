import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";

export const passThrottleFunction: Functions = {
  name: "pass_throttle",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * `keys` are all keys that `requested` and `reset_keys` name. Most log-ins have no earlier failure and need one lookup only.
 * `requested` is `{key, max_failures, initial_delay, max_delay, exemption}`, see `delayAfter` of the domain. `granted` is the key of an
 * exemption, written unless it was written within `renewal`. A new one can exceed the limit of its group.
 */
function definition({ passThrottle, throttle }: Tables): string {
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
