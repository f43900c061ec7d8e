import type { SessionMode } from "@sallyport/storage";
import type { AdmissionStatements } from "../../../sql-admission-repository.ts";
import type { AppKeyStatements } from "../../../sql-app-key-repository.ts";
import { listStatements, seatBound, type SessionStatements } from "../../../sql-session-repository.ts";
import { batchableStatement, statement } from "../../../sql-runner.ts";
import { currentPosition } from "../replicas.ts";
import type { Tables } from "../tables.ts";
import { lockOfRules, takenSeats } from "../functions/open-session.ts";
import { epochMilliseconds, ownShard, storageTime, unseen } from "../expressions.ts";

/** `position`: whether admissions give the position of the primary. */
export function admissionStatements(tables: Tables, { position }: { readonly position: boolean }): AdmissionStatements {
  const now = storageTime(3);
  const due = `expires_at < ends_at and expires_at <= ${now} + $4::float8 * interval '1 millisecond'`;
  // A subquery by primary key: in a join the engine could choose the index by birth.
  const linkValue = `(select case when il.born = s.link_born and il.expires_at > ${now} then il.value end
        from ${tables.records} il where il.kind = 'identityLink' and il.id = s.link_id)`;
  const ofCustomAccount = `from ${tables.customAccounts} ca where ca.id = s.custom_account and ca.secret_version = s.custom_version and not ca.disabled`;
  // Not a join, so that password sessions never read these tables in any plan.
  const link = `s.link_id, s.link_born, case when s.link_id is not null then ${linkValue} end as link_value`;
  const isAuthenticated = `(s.custom_account is null or exists (select ${ofCustomAccount}))
          and (s.link_id is null or ${linkValue} is not null)`;
  const settings = "g.maintenance, g.model_generation, g.macro_generation";
  const appKey = `k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses`;
  const withPosition = position ? `, ${currentPosition} as position` : "";
  const ofKey = `from ${tables.settings} g
      left join ${tables.appKeys} k on k.digest = $1::bytea`;
  const admit = (mode: SessionMode, channel = { columns: "", join: "" }) =>
    batchableStatement(
      `admit_${mode}`,
      `select ${settings}, ${appKey},
        s.mode, s.user_id, s.app_names, s.reserved_names, s.enrolling, s.device_id, s.custom_account, s.custom_version, ${link}, s.remaining, a.administrator, u.attributes -> 'Groups' as groups${channel.columns}${withPosition}
      ${ofKey}
      left join (
        (select *, case when ${due} then extract(epoch from expires_at - ${now})::float8 * 1000 end as remaining from ${tables.sessions}) s
        join ${tables.accounts} a on a.user_id = s.user_id and a.secret_version = s.secret_version and not a.disabled${channel.join}
      ) on s.digest = $2::bytea and s.mode = '${mode}' and s.app_key_id = k.id and s.expires_at > ${now}
        and ${isAuthenticated}
      left join ${tables.objects} u on u.oid = a.user_id`,
    );
  return {
    admitKey: batchableStatement(
      "admit_key",
      `select ${settings}, ${appKey}, null as mode${withPosition}
      ${ofKey}`,
    ),
    admit: {
      session: admit("session"),
      token: admit("token"),
      secure: admit("secure", {
        columns: ", c.wrapped_key, c.iv_prefix",
        join: `\n        join ${tables.channels} c on c.session = s.digest`,
      }),
    },
    // Only the end of a session conflicts with this lock, not its extension.
    lock: statement("lock_session", `select from ${tables.sessions} where digest = $1::bytea for key share`),
    touch: statement(
      "touch",
      `update ${tables.sessions}
      set expires_at = least(ends_at, ${now} + $2::float8 * interval '1 millisecond')
      where digest = $1::bytea and expires_at > ${now} and ${due}`,
    ),
    // A row that another transaction has locked delays no other session. The commit setting ends with this statement.
    renew: statement(
      "renew_sessions",
      `with due as materialized (
        select s.digest, listed.lifetime
        from json_to_recordset($1::json) as listed (digest text, lifetime float8, due float8)
        join ${tables.sessions} s on s.digest = decode(listed.digest, 'hex')
        where s.expires_at > ${storageTime(2)} and s.expires_at < s.ends_at
          and s.expires_at <= ${storageTime(2)} + listed.due * interval '1 millisecond'
        for no key update of s skip locked
      ), commit as materialized (
        select set_config('synchronous_commit', case when $3::boolean then current_setting('synchronous_commit') else 'off' end, true)
      )
      update ${tables.sessions} s
      set expires_at = least(s.ends_at, ${storageTime(2)} + due.lifetime * interval '1 millisecond')
      from due, commit where s.digest = due.digest
      returning encode(s.digest, 'hex') as digest`,
    ),
    lockDue: null,
    admitCallback: statement(
      "admit_callback",
      `with spent as (
        delete from ${tables.records}
        where kind = 'providerState' and id = $1::text and expires_at > ${storageTime(2)} and not (select maintenance from ${tables.settings})
        returning value as payload
      )
      select ${settings}, ${appKey}, spent.payload
      from ${tables.settings} g left join spent on true left join ${tables.appKeys} k on k.digest = ${namedKey}`,
    ),
  };
}

/** The app key of a state; null for an invalid digest. */
const namedKey = `case when spent.payload ->> 'appKey' ~ '^[0-9a-f]{64}$' then decode(spent.payload ->> 'appKey', 'hex') end`;

export function appKeyStatements({ appKeys }: Tables): AppKeyStatements {
  return {
    create: statement(
      "app_key_create",
      `insert into ${appKeys} (id, name, digest, app_names, origins, return_addresses)
      values ($1::text, $2::text, $3::bytea, $4::jsonb, $5::jsonb, $6::jsonb) on conflict do nothing`,
    ),
    listsOrigin: statement(
      "app_key_lists_origin",
      `select from ${appKeys} where enabled and origins @> jsonb_build_array($1::text) limit 1`,
    ),
  };
}

const notExcepted = "digest is distinct from $3::bytea";

/** The parameters of an opening. */
const openingValues = `$1::bytea, $2::text, $3::text, $4::bigint, $5::jsonb, $6::text, $7::float8, $8::float8,
          $9::float8, $10::integer, $11::bigint, $12::bigint, $13::uuid, $14::integer, $15::text, $16::bigint, $17::bigint,
          $18::jsonb, $19::jsonb, $20::text`;

const shard = `shard = ${ownShard}`;

/**
 * Counters contain the number of sessions. The statements that add and remove rows also update them. Each connection has
 * its own counter, so that none blocks another. They include expired sessions and so give an upper bound. The live
 * sessions are counted only when the bound reaches a limit.
 */
export function sessionStatements(tables: Tables): SessionStatements {
  const named = "jsonb_build_array($6::text)";
  const seats = { name: "$2::text", kind: "$3::text", now: storageTime(1) };
  return {
    open: {
      ...statement("session_open", `select ${tables.openSessionFrom}(${openingValues})`),
      batch: "call",
    },
    openSecure: [
      {
        ...statement(
          "session_open_secure",
          `select ${tables.openSecureSession}(${openingValues}, $21::text, $22::bytea)`,
        ),
        batch: "call",
      },
    ],
    lockRules: statement("session_lock_rules", `select pg_advisory_xact_lock(${lockOfRules(tables)})`),
    endListed: statement(
      "session_end_listed",
      remove(tables, `digest in (select decode(hex, 'hex') from unnest(${unseen("$1::text[]")}) hex)`),
    ),
    endOne: statement("session_end", remove(tables, "digest = $1::bytea")),
    endAllOfUser: statement("session_end_user", remove(tables, `user_id = $1::bigint and ${notExcepted}`)),
    endAllOfCustomAccount: statement(
      "session_end_custom",
      remove(tables, `custom_account = $1::uuid and ${notExcepted}`),
    ),
    endAllOfLink: statement("session_end_link", remove(tables, `link_id = $1::text and ${notExcepted}`)),
    renew: statement(
      "session_renew",
      `update ${tables.sessions} set
        secret_version = case when custom_account is null then $3::integer else secret_version end,
        custom_version = case when custom_account is null then custom_version else $3::integer end
      where digest = $1::bytea and expires_at > ${storageTime(2)}`,
    ),
    changeAppNames: statement(
      "session_app_names",
      `select ${tables.changeOnBasis}($6::jsonb, $1::bytea, $2::jsonb, $3::jsonb, $4::jsonb, $5::float8) as outcome`,
    ),
    ...listStatements(tables, {
      now: storageTime(3),
      milliseconds: epochMilliseconds,
      other: "digest is distinct from $5::bytea",
      named: `app_names @> ${named} or reserved_names @> ${named}`,
      types: {
        digest: "::bytea",
        user_id: "::bigint",
        device_id: "::text",
        app_name: "::text",
        custom_account: "::uuid",
        link_id: "::text",
        limit: "::bigint",
      },
    }),
    count: {
      number: {
        all: statement("session_count", `select count(*) from ${tables.sessions} where expires_at > ${storageTime(1)}`),
        seats: statement("session_count_seats", takenSeats(tables, seats)),
      },
      bound: {
        all: statement(
          "session_bound",
          `select sum(sessions) as count from ${tables.sessionCounts} where $1::float8 is not null`,
        ),
        seats: statement(
          "session_bound_seats",
          `select coalesce(${seatBound(tables, seats)}, (${takenSeats(tables, seats)})) as count`,
        ),
      },
    },
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

/** Deletes the selected rows and answers their number and the number of live ones. Parameter 2 is the clock offset. */
function remove({ sessions, sessionCounts }: Tables, selection: string): string {
  return `with removed as (
    delete from ${sessions} where ${selection} returning expires_at > ${storageTime(2)} as live
  ), counted as (
    update ${sessionCounts} set sessions = sessions - (select count(*) from removed)
    where ${shard} and exists (select from removed)
  )
  select count(*) as all, count(*) filter (where live) as live from removed`;
}
