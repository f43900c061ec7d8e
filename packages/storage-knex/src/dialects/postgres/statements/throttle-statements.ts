import { statement } from "../../../sql-runner.ts";
import type { ThrottleStatements } from "../../../sql-throttle-repository.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "../expressions.ts";

/** Expired rows that each failure deletes: more than it can add. */
const expiredPerFailure = 10;

const requested = `requested as materialized (
  select * from jsonb_to_recordset($1::jsonb) as a (key text, max_failures integer, initial_delay float8, max_delay float8, reset_after float8, exemption text)
)`;
const clock = `clock as materialized (select ${storageTime(2)} as now)`;

/** `delayAfter` of the domain, in milliseconds. */
function delay(failures: string): string {
  return `case when ${failures} < a.max_failures then 0 else least(a.max_delay, a.initial_delay * power(2, least(${failures} - a.max_failures, 30))) end`;
}

/** Remaining milliseconds, rounded up so that an active delay is never 0. */
function maxWait(freeAt: string): string {
  return `coalesce(max(greatest(0, ceil(extract(epoch from ${freeAt} - now) * 1000))), 0)::float8`;
}

export function throttleStatements({ passThrottle, throttle }: Tables): ThrottleStatements {
  const isExempt = `exists (select from ${throttle} e where e.key = a.exemption and e.forget_at > c.now)`;
  // The array is redundant, but makes the planner expect few rows.
  const delayed = `select t.key, t.delayed_at + ${delay("t.failures")} * interval '1 millisecond' as free_at, c.now, ${isExempt} as exempt
    from ${throttle} t join requested a on a.key = t.key cross join clock c
    where t.key = any (array(select key from requested)) and t.forget_at > c.now and ${delay("t.failures")} > 0`;
  return {
    attempt: statement(
      "throttle_attempt",
      `with ${requested}, ${clock},
      delayed as (${delayed} order by t.key for update of t),
      checked as (select * from delayed where not exempt),
      reserved as (
        update ${throttle} t set delayed_at = checked.now from checked
        where t.key = checked.key and not exists (select from checked where free_at > now)
        returning t.key
      )
      select case when exists (select from checked where free_at > now) then (select ${maxWait("free_at")} from delayed) else 0 end as wait,
        exists (select from reserved) as reserved`,
    ),
    fail: statement("throttle_fail", fail(throttle, delayed)),
    pass: {
      ...statement(
        "throttle_pass",
        `select ${passThrottle}($1::text[], $2::jsonb, $3::text[], $4::float8, $5::text, $6::text, $7::integer, $8::float8, $9::float8)`,
      ),
      batch: "call",
    },
    sweep: statement(
      "throttle_sweep",
      `delete from ${throttle} where key = any (array(
        select key from ${throttle} where forget_at <= ${storageTime(2)} order by forget_at limit $1::bigint for update skip locked
      ))`,
    ),
  };
}

function fail(throttle: string, delayed: string): string {
  return `with ${requested}, ${clock},
  exempted as (select * from (${delayed}) h where exempt and free_at > now),
  expired as (
    delete from ${throttle} where key in (
      select key from ${throttle}
      where forget_at <= (select now from clock) and key not in (select key from requested)
      order by forget_at limit ${expiredPerFailure} for update skip locked
    )
  ),
  counted as (
    insert into ${throttle} as t (key, failures, delayed_at, forget_at)
    select a.key, 1, c.now, c.now + a.reset_after * interval '1 millisecond' from requested a cross join clock c
    where a.key not in (select key from exempted) order by a.key
    on conflict (key) do update set
      failures = case when t.forget_at > excluded.delayed_at then t.failures + 1 else 1 end,
      delayed_at = excluded.delayed_at,
      forget_at = excluded.forget_at
    returning t.key, t.failures
  )
  select greatest((select coalesce(max(${delay("counted.failures")}), 0)::float8 from counted join requested a using (key)), (select ${maxWait("free_at")} from exempted)) as wait`;
}
