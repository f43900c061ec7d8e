import { statement } from "../../../statement.ts";
import type { OutboxStatements } from "../../../knex-outbox-repository.ts";
import type { Tables } from "../tables.ts";
import { numbersOf } from "./listed-values.ts";
import { later, storageTime } from "./storage-time.ts";

const claimed = "id = $1 and attempts = $2";

const since = (time: string, now: string) => `(timestampdiff(microsecond, ${time}, ${now}) div 1000)`;

export function outboxStatements({ outbox, settings }: Tables): OutboxStatements {
  return {
    hold: statement("outbox_hold", `select 1 from ${settings} for update`),
    put: statement(
      "outbox_put",
      `insert into ${outbox} (sealed_order, put_at, due_at, expires_at)
      select $1, ${storageTime(4)}, ${storageTime(4)}, ${later(storageTime(4), "$2")} from dual
      where (select count(*) from ${outbox} waiting where waiting.expires_at > ${storageTime(4)}) < $3`,
    ),
    // In the order of the rows, so that none is held but those that are given out.
    due: statement(
      "outbox_due",
      `select id, sealed_order, attempts, ${since("put_at", storageTime(2))} as age from ${outbox} force index (primary)
      where due_at <= ${storageTime(2)} and expires_at > ${storageTime(2)}
      order by id limit $1 for update skip locked`,
    ),
    // By the key, whatever the optimizer thinks of so few rows: a look at all of them would wait for those who hold others.
    take: statement(
      "outbox_take",
      `update ${numbersOf(1)} taken straight_join ${outbox} o force index (primary) on o.id = taken.value set o.attempts = o.attempts + 1, o.due_at = ${later(storageTime(3), "$2")}`,
    ),
    replace: statement("outbox_replace", `update ${outbox} set sealed_order = $3 where ${claimed}`),
    done: statement("outbox_done", `delete from ${outbox} where ${claimed}`),
    postpone: statement(
      "outbox_postpone",
      `update ${outbox} set due_at = ${later(storageTime(5), "$3")}, stuck_since = if($4, coalesce(stuck_since, ${storageTime(5)}), null) where ${claimed}`,
    ),
    waiting: statement(
      "outbox_waiting",
      `select count(*) as count, greatest(0, coalesce(${since("min(put_at)", storageTime(1))}, 0)) as oldest,
        greatest(0, coalesce(${since("min(stuck_since)", storageTime(1))}, 0)) as stuck
      from ${outbox} where expires_at > ${storageTime(1)}`,
    ),
    sweep: statement(
      "outbox_sweep",
      `delete from ${outbox} where expires_at <= ${storageTime(2)} order by id limit $1`,
    ),
  };
}
