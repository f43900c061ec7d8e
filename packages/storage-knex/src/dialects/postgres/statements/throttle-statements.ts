import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

/**
 * The first parameter is an array of `{key, free, first, longest, forget}`, each key once; the second the offset of
 * the clock. Waits come back in milliseconds. Rows are locked in the order of their keys, so that nobody deadlocks.
 */
export interface ThrottleStatements {
  readonly attempt: Statement;
  readonly wait: Statement;
  readonly fail: Statement;
  /** 1 array of keys. */
  readonly clear: Statement;
}

/** How many forgotten rows each failure clears away: more than it can add. */
const swept = 10;

const asked = `asked as materialized (
  select * from jsonb_to_recordset($1::jsonb) as a (key text, free integer, first float8, longest float8, forget float8)
)`;
const clock = `clock as materialized (select ${storageTime(2)} as now)`;
const longestWait = `coalesce(max(greatest(0, ceil(extract(epoch from blocked_until - now) * 1000))), 0)::float8`;

/** `delayAfter` of the domain, as an interval. */
function delay(failures: string): string {
  return `case when ${failures} < a.free then interval '0'
    else least(a.longest, a.first * power(2, least(${failures} - a.free, 30))) * interval '1 millisecond' end`;
}

export function throttleStatements({ throttle }: Tables): ThrottleStatements {
  const counting = `${throttle} t join asked a on a.key = t.key cross join clock c
    where t.failures >= a.free and t.last_failure_at + a.forget * interval '1 millisecond' > c.now`;
  return {
    attempt: statement(
      "throttle_attempt",
      `with ${asked}, ${clock},
      held as (
        select t.key, t.blocked_until, c.now, ${delay("t.failures")} as delay from ${counting} order by t.key for update of t
      ),
      claimed as (
        update ${throttle} t set blocked_until = held.now + held.delay from held
        where t.key = held.key and not exists (select from held where blocked_until > now)
        returning t.key
      )
      select (select ${longestWait} from held) as wait, exists (select from claimed) as claimed`,
    ),
    wait: statement("throttle_wait", `with ${asked}, ${clock} select ${longestWait} as wait from ${counting}`),
    fail: statement("throttle_fail", fail(throttle)),
    clear: statement(
      "throttle_clear",
      `delete from ${throttle} where key in (
        select key from ${throttle} where key = any ($1::text[]) order by key for update
      )`,
    ),
  };
}

function fail(throttle: string): string {
  const failures = `case when t.last_failure_at + a.forget * interval '1 millisecond' > c.now then t.failures + 1 else 1 end`;
  return `with ${asked}, ${clock},
  forgotten as (
    delete from ${throttle} where key in (
      select key from ${throttle}
      where forget_at <= (select now from clock) and key not in (select key from asked)
      order by forget_at limit ${swept} for update skip locked
    )
  ),
  counted as (
    insert into ${throttle} as t (key, failures, last_failure_at, blocked_until, forget_at)
    select a.key, 1, c.now, c.now + ${delay("1")}, c.now + a.forget * interval '1 millisecond'
    from asked a cross join clock c order by a.key
    on conflict (key) do update set (failures, last_failure_at, blocked_until, forget_at) = (
      select n.failures, excluded.last_failure_at, excluded.last_failure_at + ${delay("n.failures")}, excluded.forget_at
      from asked a cross join clock c cross join lateral (select ${failures} as failures) n
      where a.key = excluded.key
    )
    returning t.blocked_until, t.last_failure_at as now
  )
  select ${longestWait} as wait from counted`;
}
