import { statement } from "../../../sql-runner.ts";
import type { ThrottleStatements } from "../../../sql-throttle-repository.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "../expressions.ts";
import { delay, delayedKeys, maxWait, requestedKeys } from "../functions/throttle.ts";

/** Expired rows that each failure deletes: more than it can add. */
const expiredPerFailure = 10;

const requested = `requested as materialized (${requestedKeys("$1::jsonb")})`;
const clock = `clock as materialized (select ${storageTime(2)} as now)`;

export function throttleStatements({ attemptThrottle, passThrottle, throttle }: Tables): ThrottleStatements {
  const delayed = delayedKeys(throttle, { requested: "requested", clock: "clock" });
  return {
    attempt: statement(
      "throttle_attempt",
      `select wait, reserved from ${attemptThrottle}($1::jsonb, $2::float8, $3::text[])`,
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
