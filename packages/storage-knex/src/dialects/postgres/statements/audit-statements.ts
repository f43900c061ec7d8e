import { statement } from "../../../sql-runner.ts";
import { auditDetails, type AuditStatements } from "../../../sql-audit-repository.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, ownShard, storageTime, unseen } from "../expressions.ts";

export function auditStatements(tables: Tables): AuditStatements {
  const { audit, auditTallies } = tables;
  const longAgo = (time: string) => `${time} <= ${storageTime(3)} - $1::float8 * interval '1 millisecond'`;
  return {
    append: {
      ...statement(
        "audit_append",
        `insert into ${audit} (${auditDetails}, at)
        values ($1::text, $2::text, $3::integer, $4::text, $5::bigint, $6::bigint, $7::text, $8::jsonb, $9::text, $10::text, $11::text, $12::json, ${storageTime(13)})`,
      ),
      batch: "addition",
    },
    tally: statement(
      "audit_tally",
      `insert into ${auditTallies} as t (${auditDetails}, at, since, attempts, key, shard)
      values ($1::text, $2::text, $3::integer, $4::text, $5::bigint, $6::bigint, $7::text, $8::jsonb, $9::text, $10::text, $11::text, $12::json, ${storageTime(13)}, ${storageTime(13)}, 1, $14::text, ${ownShard})
      on conflict (key, shard) do update set attempts = t.attempts + 1, at = excluded.at`,
    ),
    settle: statement("audit_settle", settle(tables, longAgo("min(since)"))),
    read: statement(
      "audit_read",
      `select sequence, ${epochMilliseconds("at")} as at, ${epochMilliseconds("coalesce(since, at)")} as since, attempts, ${auditDetails}
      from ${audit} where sequence > ${unseen("$1::bigint")} order by sequence limit ${unseen("$2::bigint")}`,
    ),
    // By sequence, because an index by time would slow down every log-in.
    sweep: statement(
      "audit_sweep",
      `delete from ${audit} where sequence = any (array(
        select sequence from (select sequence, at from ${audit} order by sequence limit $2::bigint) oldest where ${longAgo("at")}
      ))`,
    ),
  };
}

/** Takes the completed tallies with all their shards. A concurrent attempt starts a new tally. */
function settle({ audit, auditTallies }: Tables, over: string): string {
  return `with settled as (
    delete from ${auditTallies} t using (
      select key, shard from ${auditTallies}
      where key = any (array(select key from ${auditTallies} group by key having ${over} order by min(since) limit $2::bigint))
      order by key, shard for update skip locked
    ) locked
    where t.key = locked.key and t.shard = locked.shard
    returning t.*
  ), firsts as (
    select distinct on (key) ${auditDetails}, max(at) over same as at, min(since) over same as since, sum(attempts) over same as attempts
    from settled window same as (partition by key)
    order by key, settled.since
  )
  insert into ${audit} (${auditDetails}, at, since, attempts) select ${auditDetails}, at, since, attempts from firsts order by since`;
}
