import { unseenArray } from "../expressions.ts";
import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";

export const attemptThrottleFunction: Functions = {
  name: "attempt_throttle",
  number: 1,
  statements: (tables) => [attemptThrottleDefinition(tables)],
};

/** The keys of a parameter, see `ThrottleStatements`, as a query. */
export function requestedKeys(parameter: string): string {
  return `select * from jsonb_to_recordset(${parameter}) as a (key text, max_failures integer, initial_delay float8, max_delay float8, reset_after float8, exemption text)`;
}

/** `delayAfter` of the domain, in milliseconds. */
export function delay(failures: string): string {
  return `case when ${failures} < a.max_failures then 0 else least(a.max_delay, a.initial_delay * power(2, least(${failures} - a.max_failures, 30))) end`;
}

/** Remaining milliseconds, rounded up so that an active delay is never 0. */
export function maxWait(freeAt: string): string {
  return `coalesce(max(greatest(0, ceil(extract(epoch from ${freeAt} - now) * 1000))), 0)::float8`;
}

/** The requested keys with a delay, as a query. `clock` has the time as `now`. */
export function delayedKeys(throttle: string, { requested, clock }: { requested: string; clock: string }): string {
  const isExempt = `exists (select from ${throttle} e where e.key = a.exemption and e.forget_at > c.now)`;
  // The array is redundant, but makes the planner expect few rows.
  return `select t.key, t.delayed_at + ${delay("t.failures")} * interval '1 millisecond' as free_at, c.now, ${isExempt} as exempt
    from ${throttle} t join ${requested} a on a.key = t.key cross join ${clock} c
    where t.key = any (array(select key from ${requested})) and t.forget_at > c.now and ${delay("t.failures")} > 0`;
}

/** Most attempts have no earlier failure and need one lookup only. A key whose row appears later is checked again when the attempt succeeds. */
function attemptThrottleDefinition({ attemptThrottle, throttle }: Tables): string {
  const delayed = delayedKeys(throttle, { requested: "requested", clock: "clock" });
  return `create or replace function ${attemptThrottle} (
    policies jsonb, ahead float8, keys text[], out wait float8, out reserved boolean
  ) language plpgsql as $$
  begin
    wait := 0;
    reserved := false;
    perform from ${throttle} t where t.key = any (${unseenArray("keys")});
    if not found then
      return;
    end if;
    with requested as materialized (${requestedKeys("policies")}),
    clock as materialized (select statement_timestamp() + ahead * interval '1 millisecond' as now),
    delayed as (${delayed} order by t.key for update of t),
    checked as (select * from delayed where not exempt),
    updated as (
      update ${throttle} t set delayed_at = checked.now from checked
      where t.key = checked.key and not exists (select from checked where free_at > now)
      returning t.key
    )
    select case when exists (select from checked where free_at > now) then (select ${maxWait("free_at")} from delayed) else 0 end,
      exists (select from updated)
    into wait, reserved;
  end
  $$`;
}

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
