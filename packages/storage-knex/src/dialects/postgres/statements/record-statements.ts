import type { ContentsStatements } from "../../../knex-database-contents.ts";
import type { MacroStatements } from "../../../knex-macro-repository.ts";
import type { OneTimeStatements } from "../../../knex-one-time-repository.ts";
import type { OutboxStatements } from "../../../knex-outbox-repository.ts";
import type { ProviderStatements } from "../../../knex-provider-repository.ts";
import { statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function contentsStatements(tables: Tables): ContentsStatements {
  const {
    accounts,
    appKeys,
    applications,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    macroVersions,
    objects,
    settings,
  } = tables;
  const filled = [
    accounts,
    appKeys,
    applications,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    macroVersions,
    objects,
  ];
  const without = filled.map((table) => `not exists (select from ${table})`);
  return {
    isEmpty: statement(
      "contents_empty",
      `select model_generation = 1 and ${without.join(" and ")} as empty from ${settings}`,
    ),
  };
}

export function providerStatements({ identityProviders }: Tables): ProviderStatements {
  const columns = "type, name, sealed_data, default_user_id, app_names";
  return {
    read: statement(
      "provider_read",
      `select ${columns} from ${identityProviders} where type = $1::text or $1::text is null order by type`,
    ),
    put: statement(
      "provider_put",
      `insert into ${identityProviders} (${columns}) values ($1::text, $2::text, $3::text, $4::bigint, $5::jsonb)
      on conflict (type) do update set name = excluded.name, sealed_data = excluded.sealed_data, default_user_id = excluded.default_user_id,
        app_names = excluded.app_names`,
    ),
    remove: statement("provider_remove", `delete from ${identityProviders} where type = $1::text`),
  };
}

export function macroStatements({ macroVersions, schema, settings }: Tables): MacroStatements {
  const columns = `m.name, m.version, m.text, m.language, ${epochMilliseconds("m.changed_at")} as changed_at, m.changed_by`;
  return {
    load: statement(
      "macros_load",
      `select g.macro_generation as generation, ${columns}
      from ${settings} g
      left join (select distinct on (name) * from ${macroVersions} order by name, version desc) m on m.text is not null
      order by m.name`,
    ),
    hold: statement("macros_hold", `select pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:macros', 0))`),
    latest: statement(
      "macro_latest",
      `select version, text is not null as known from ${macroVersions} where name = $1::text order by version desc limit 1`,
    ),
    add: statement(
      "macro_add",
      `insert into ${macroVersions} (name, version, text, language, changed_by, changed_at)
      values ($1::text, $2::integer, $3::text, $4::text, $5::text, ${storageTime(6)})`,
    ),
    raise: statement("macros_raise", `update ${settings} set macro_generation = macro_generation + 1`),
    history: statement(
      "macro_history",
      `select ${columns} from ${macroVersions} m
      where m.name = $1::text and ($3::bigint is null or m.version < $3::bigint)
      order by m.version desc limit $2::bigint`,
    ),
  };
}

export function oneTimeStatements({ issueOneTime, oneTimeSecrets }: Tables): OneTimeStatements {
  const named = "kind = $1::text and digest = $2::bytea";
  const now = storageTime(3);
  return {
    issue: statement(
      "one_time_issue",
      `insert into ${oneTimeSecrets} (kind, digest, subject, payload, expires_at)
      values ($1::text, $2::bytea, $3::text, $4::jsonb, ${storageTime(6)} + $5::float8 * interval '1 millisecond')
      on conflict (kind, digest) do nothing`,
    ),
    issueWithin: statement(
      "one_time_issue_within",
      `select ${issueOneTime}($1::text, $2::bytea, $3::text, $4::jsonb, $5::float8, $6::float8, $7::bigint, $8::bigint) as outcome`,
    ),
    clear: statement("one_time_clear", `delete from ${oneTimeSecrets} where ${named} and expires_at <= ${now}`),
    read: statement("one_time_read", `select payload from ${oneTimeSecrets} where ${named} and expires_at > ${now}`),
    consume: statement(
      "one_time_consume",
      `delete from ${oneTimeSecrets} where ${named} and expires_at > ${now} returning payload`,
    ),
    revoke: statement(
      "one_time_revoke",
      `delete from ${oneTimeSecrets} where kind = $1::text and subject = $2::text and expires_at > ${now}`,
    ),
    sweep: statement(
      "one_time_sweep",
      `delete from ${oneTimeSecrets} where ctid = any (array(
        select ctid from ${oneTimeSecrets} where expires_at <= ${storageTime(2)} order by expires_at limit $1::bigint for update skip locked
      ))`,
    ),
  };
}

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
