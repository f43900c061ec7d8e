import { statement } from "../../../statement.ts";
import type { SessionStatements } from "../../../statements/session-statements.ts";
import type { Tables } from "../tables.ts";
import { ownShard } from "./count-shards.ts";
import { storageTime } from "./storage-time.ts";

const notExcepted = "digest is distinct from $3::bytea";

const shard = `shard = ${ownShard}`;

/**
 * How many sessions there are is kept in counters, changed by the same statements that add and remove rows: each
 * connection has its own counter, so that none waits for another. They count rows, expired ones included, and give an
 * upper bound at once; only when the bound reaches a limit are the live sessions really counted.
 */
export function sessionStatements(tables: Tables): SessionStatements {
  return {
    open: {
      ...statement(
        "session_open",
        `select ${tables.openSession}($1::bytea, $2::text, $3::text, $4::bigint, $5::jsonb, $6::text, $7::float8, $8::float8,
          $9::float8, $10::integer, $11::bigint, $12::bigint, $13::uuid, $14::integer, $15::uuid, $16::bigint)`,
      ),
      joint: "call",
    },
    endOne: statement("session_end", remove(tables, "digest = $1::bytea")),
    endAllOfUser: statement("session_end_user", remove(tables, `user_id = $1::bigint and ${notExcepted}`)),
    endAllOfCustomAccount: statement(
      "session_end_custom",
      remove(tables, `custom_account = $1::uuid and ${notExcepted}`),
    ),
    endAllOfLink: statement("session_end_link", remove(tables, `identity_link = $1::uuid and ${notExcepted}`)),
    renew: statement(
      "session_renew",
      `update ${tables.sessions} set
        secret_version = case when custom_account is null then $3::integer else secret_version end,
        custom_version = case when custom_account is null then custom_version else $3::integer end
      where digest = $1::bytea and expires_at > ${storageTime(2)}`,
    ),
    count: statement("session_count", `select count(*) from ${tables.sessions} where expires_at > ${storageTime(1)}`),
    sweep: statement(
      "session_sweep",
      remove(
        tables,
        `digest in (
          select digest from ${tables.sessions} where expires_at <= ${storageTime(2)} limit $1 for update skip locked
        )`,
      ),
    ),
  };
}

/** Deletes what is selected and answers how many rows it was, and how many of them were live. The clock is parameter 2. */
function remove({ sessions, sessionCounts }: Tables, selection: string): string {
  return `with removed as (
    delete from ${sessions} where ${selection} returning expires_at > ${storageTime(2)} as live
  ), counted as (
    update ${sessionCounts} set sessions = sessions - (select count(*) from removed)
    where ${shard} and exists (select from removed)
  )
  select count(*) as all, count(*) filter (where live) as live from removed`;
}
