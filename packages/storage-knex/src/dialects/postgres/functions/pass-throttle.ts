import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";

export const passThrottleFunction: Functions = {
  name: "pass_throttle",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * `keys` are all keys that `asked` and `forget` name. Most log-ins have no earlier failure and need one lookup only.
 * `asked` is `{key, free, first, longest, exempt}`, see `delayAfter` of the domain. `granted` is the key of an
 * exemption, written unless it was written within `renewal`. A new one can exceed the limit of its group.
 */
function definition({ passThrottle, throttle }: Tables): string {
  return `create or replace function ${passThrottle} (
    keys text[], asked jsonb, forget text[], ahead float8, granted text, granted_group text, at_most integer, lifetime float8, renewal float8
  ) returns void language plpgsql as $$
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    failed boolean;
    good_until timestamptz;
  begin
    select count(*) filter (where t.key is distinct from granted) > 0, max(t.forget_at) filter (where t.key = granted) into failed, good_until
    from ${throttle} t where t.key = any (keys || granted);
    if failed then
      perform from ${throttle} t
        join jsonb_to_recordset(asked) as a (key text, free integer, first float8, longest float8, exempt text) on a.key = t.key
        where t.key = any (keys) and t.forget_at > now and t.failures >= a.free
          and t.delayed_at + least(a.longest, a.first * power(2, least(t.failures - a.free, 30))) * interval '1 millisecond' > now
          and not exists (select from ${throttle} e where e.key = a.exempt and e.forget_at > now);
      if found then
        raise exception using errcode = 'SP302', message = 'A delay runs.';
      end if;
      delete from ${throttle} t where t.key in (
        select f.key from ${throttle} f where f.key = any (forget) order by f.key for update
      );
    end if;
    if granted is null or good_until >= now + (lifetime - renewal) * interval '1 millisecond' then
      return;
    end if;
    insert into ${throttle} (key, failures, delayed_at, forget_at) values (granted, 0, now, now + lifetime * interval '1 millisecond')
    on conflict (key) do update set delayed_at = excluded.delayed_at, forget_at = excluded.forget_at;
    if good_until is null then
      delete from ${throttle} t where t.key = any (array(
        select s.key from ${throttle} s where s.key = any (array(
          select g.key from ${throttle} g where g.key > granted_group and g.key < granted_group || '~' order by g.forget_at desc, g.key offset at_most
        )) for update skip locked
      ));
    end if;
  end
  $$`;
}
