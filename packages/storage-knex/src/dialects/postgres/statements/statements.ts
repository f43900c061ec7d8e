import { auditDetails, type AuditStatements } from "../../../sql-audit-repository.ts";
import type { ThrottleStatements } from "../../../sql-throttle-repository.ts";
import { delay, delayedKeys, maxWait, requestedKeys } from "../functions/throttle.ts";
import { modelStatements } from "../../../sql-model-repository.ts";
import { settingsStatements } from "../../../sql-settings-repository.ts";
import { statement } from "../../../sql-runner.ts";
import { existingIndexes } from "../index-expression.ts";
import { lockStatements } from "../postgres-lock-repository.ts";
import { changeStatements } from "../stamps.ts";
import type { Tables } from "../tables.ts";
import { accountStatements } from "./account-statements.ts";
import { admissionStatements, appKeyStatements, sessionStatements } from "./admission-statements.ts";
import { channelStatements, cipherBlockStatements } from "./channel-statements.ts";
import { deletionStatements } from "./deletion-statements.ts";
import { epochMilliseconds, modelLock, ownShard, storageTime, unseen } from "../expressions.ts";
import { objectStatements } from "./object-statements.ts";
import { recordStatements } from "./record-statements.ts";

export type Statements = ReturnType<typeof statementsOf>;

/** Each group is made on its first use: a server can have many databases that no request uses. */
export function statementsOf(tables: Tables, { position = false }: { readonly position?: boolean } = {}) {
  return onFirstUse({
    accounts: () => accountStatements(tables),
    admission: () => admissionStatements(tables, { position }),
    appKeys: () => appKeyStatements(tables),
    audit: () => auditStatements(tables),
    changes: () => changeStatements(tables),
    channels: () => channelStatements(tables),
    cipherBlocks: () => cipherBlockStatements(tables),
    settings: () => settingsStatements(tables),
    tombstones: () => deletionStatements(tables),
    /** Names of the value indexes that queries can use. */
    indexes: () => ({ ready: statement("index_ready", `${existingIndexes(tables)} and i.indisvalid`) }),
    locks: () => lockStatements(tables),
    /** Takes the exclusive model lock until the transaction ends; every writer of objects takes it shared. */
    lockModel: () => statement("model_hold", `select pg_advisory_xact_lock(${modelLock(tables)})`),
    model: () => modelStatements(tables),
    objects: () => objectStatements(tables),
    records: () => recordStatements(tables),
    sessions: () => sessionStatements(tables),
    throttle: () => throttleStatements(tables),
  });
}

/** An object whose members are made on their first use. */
function onFirstUse<Makers extends Readonly<Record<string, () => unknown>>>(makers: Makers) {
  const made = {};
  for (const [name, make] of Object.entries(makers)) {
    const get = (): unknown => {
      const value = make();
      Object.defineProperty(made, name, { value });
      return value;
    };
    Object.defineProperty(made, name, { get, configurable: true });
  }
  return made as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
}

function auditStatements(tables: Tables): AuditStatements {
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
    settle: statement("audit_settle", settleTallies(tables, longAgo("min(since)"))),
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
function settleTallies({ audit, auditTallies }: Tables, over: string): string {
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

/** Expired rows that each failure deletes: more than it can add. */
const expiredPerFailure = 10;

const requested = `requested as materialized (${requestedKeys("$1::jsonb")})`;
const clock = `clock as materialized (select ${storageTime(2)} as now)`;

function throttleStatements({ attemptThrottle, passThrottle, throttle }: Tables): ThrottleStatements {
  const delayed = delayedKeys(throttle, { requested: "requested", clock: "clock" });
  return {
    attempt: statement(
      "throttle_attempt",
      `select wait, reserved from ${attemptThrottle}($1::jsonb, $2::float8, $3::text[])`,
    ),
    fail: statement("throttle_fail", recordFailure(throttle, delayed)),
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

function recordFailure(throttle: string, delayed: string): string {
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
