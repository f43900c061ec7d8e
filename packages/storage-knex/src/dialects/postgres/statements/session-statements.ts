import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { ownShard } from "./count-shards.ts";
import { storageTime } from "./storage-time.ts";

/**
 * How many sessions there are is kept in counters, changed by the same statements that add and remove rows: each
 * connection has its own counter, so that none waits for another. They count rows, expired ones included, and give an
 * upper bound at once; only when the bound reaches a limit are the live sessions really counted.
 */
export interface SessionStatements {
  /** 1 whether to lock the database's limit, 2 whether to lock the user's, 3 id of the user. */
  readonly lock: Statement;
  /**
   * 1 digest, 2 mode, 3 app key, 4 user, 5 app names, 6 device, 7 idle time-out, 8 absolute lifetime, 9 offset of the
   * clock, 10 version of the secret. Returns whether it was opened, which it was.
   */
  readonly open: Statement;
  /** The same, and 11 limit of the database, 12 of the user (0 = none): nothing is opened where that would exceed one. */
  readonly openWithin: Statement;
  /** 1 digest, 2 offset of the clock. */
  readonly endOne: Statement;
  /** 1 id of the user, 2 offset of the clock. */
  readonly endAllOfUser: Statement;
  /** 1 offset of the clock. */
  readonly count: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}

const milliseconds = "::float8 * interval '1 millisecond'";
const shard = `shard = ${ownShard}`;

export function sessionStatements(tables: Tables): SessionStatements {
  return {
    lock: statement("session_lock", lock(tables)),
    open: statement("session_open", open(tables, "true")),
    openWithin: statement("session_open_within", open(tables, room(tables))),
    endOne: statement("session_end", remove(tables, "digest = $1::bytea")),
    endAllOfUser: statement("session_end_user", remove(tables, "user_id = $1::bigint")),
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

/** Those who open under a limit do so one after the other, each seeing what the one before has committed. */
function lock({ schema }: Tables): string {
  return `select
    case when $1::boolean then pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:sessions', 0)) end,
    case when $2::boolean then pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:sessions:' || $3::bigint, 0)) end`;
}

function open({ sessions, sessionCounts }: Tables, condition: string): string {
  const now = storageTime(9);
  return `with opened as (
    insert into ${sessions} (digest, mode, app_key_id, user_id, secret_version, app_names, device_id, opened_at, expires_at, ends_at)
    select $1::bytea, $2::text, $3::text, $4::bigint, $10::integer, $5::jsonb, $6::text,
      ${now}, ${now} + least($7::float8, $8::float8) * interval '1 millisecond', ${now} + $8${milliseconds}
    where ${condition}
    on conflict (user_id, app_key_id, device_id) do update set
      digest = excluded.digest, mode = excluded.mode, secret_version = excluded.secret_version, app_names = excluded.app_names,
      opened_at = excluded.opened_at, expires_at = excluded.expires_at, ends_at = excluded.ends_at
    returning xmax = 0 as added
  ), counted as (
    update ${sessionCounts} set sessions = sessions + 1 where ${shard} and exists (select from opened where added)
  )
  select exists (select from opened) as opened`;
}

/** The session of the device is about to be replaced and takes no room. */
function room({ sessions, sessionCounts }: Tables): string {
  const others = `expires_at > ${storageTime(9)}
    and not (user_id = $4::bigint and app_key_id = $3::text and device_id is not distinct from $6::text and device_id is not null)`;
  return `case
      when $11::bigint = 0 then true
      when (select sum(sessions) from ${sessionCounts}) < $11::bigint then true
      else (select count(*) from ${sessions} where ${others}) < $11::bigint
    end
    and case
      when $12::bigint = 0 then true
      else (select count(*) from ${sessions} where user_id = $4::bigint and ${others}) < $12::bigint
    end`;
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
