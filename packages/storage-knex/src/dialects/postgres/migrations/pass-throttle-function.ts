import type { Tables } from "../tables.ts";

/**
 * `keys` are all that `asked` and `forget` name: most log-ins come without any failure before them, and then one look
 * is all. A row counts in `asked` as `{key, free, first, longest}`, see `delayAfter` of the domain.
 */
export function passThrottleFunction({ passThrottle, throttle }: Tables): string {
  return `create function ${passThrottle} (keys text[], asked jsonb, forget text[], ahead float8)
  returns void language plpgsql as $$
  begin
    if not exists (select from ${throttle} t where t.key = any (keys)) then
      return;
    end if;
    perform from ${throttle} t
      join jsonb_to_recordset(asked) as a (key text, free integer, first float8, longest float8) on a.key = t.key
      where t.key = any (keys) and t.forget_at > statement_timestamp() + ahead * interval '1 millisecond' and t.failures >= a.free
        and t.delayed_at + least(a.longest, a.first * power(2, least(t.failures - a.free, 30))) * interval '1 millisecond'
          > statement_timestamp() + ahead * interval '1 millisecond';
    if found then
      raise exception using errcode = 'SP302', message = 'A delay runs.';
    end if;
    delete from ${throttle} t where t.key in (
      select f.key from ${throttle} f where f.key = any (forget) order by f.key for update
    );
  end
  $$`;
}
