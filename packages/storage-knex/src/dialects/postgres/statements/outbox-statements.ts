import { statement } from "../../../statement.ts";
import type { OutboxStatements } from "../../../statements/outbox-statements.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

const claimed = "id = $1::bigint and attempts = $2::integer";

const later = (time: string, milliseconds: string) => `${time} + ${milliseconds}::float8 * interval '1 millisecond'`;

const since = (time: string, now: string) => epochMilliseconds(`(${now} - ${time})`);

export function outboxStatements({ outbox, schema }: Tables): OutboxStatements {
  return {
    hold: statement("outbox_hold", `select pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:outbox', 0))`),
    put: statement(
      "outbox_put",
      `insert into ${outbox} (sealed_order, put_at, due_at, expires_at)
      select $1::text, ${storageTime(4)}, ${storageTime(4)}, ${later(storageTime(4), "$2")}
      where (select count(*) from ${outbox} where expires_at > ${storageTime(4)}) < $3::bigint`,
    ),
    due: statement(
      "outbox_due",
      `select id, sealed_order, attempts, ${since("put_at", storageTime(2))} as age from ${outbox}
      where due_at <= ${storageTime(2)} and expires_at > ${storageTime(2)}
      order by id limit $1::bigint for update skip locked`,
    ),
    take: statement(
      "outbox_take",
      `update ${outbox} set attempts = attempts + 1, due_at = ${later(storageTime(3), "$2")} where id = any ($1::bigint[])`,
    ),
    replace: statement("outbox_replace", `update ${outbox} set sealed_order = $3::text where ${claimed}`),
    done: statement("outbox_done", `delete from ${outbox} where ${claimed}`),
    postpone: statement(
      "outbox_postpone",
      `update ${outbox} set due_at = ${later(storageTime(5), "$3")}, stuck_since = case when $4::boolean then coalesce(stuck_since, ${storageTime(5)}) end
      where ${claimed}`,
    ),
    waiting: statement(
      "outbox_waiting",
      `select count(*) as count, greatest(0, coalesce(${since("min(put_at)", storageTime(1))}, 0)) as oldest,
        greatest(0, coalesce(${since("min(stuck_since)", storageTime(1))}, 0)) as stuck
      from ${outbox} where expires_at > ${storageTime(1)}`,
    ),
    sweep: statement(
      "outbox_sweep",
      `delete from ${outbox} where id = any (array(select id from ${outbox} where expires_at <= ${storageTime(2)} order by id limit $1::bigint for update skip locked))`,
    ),
  };
}
