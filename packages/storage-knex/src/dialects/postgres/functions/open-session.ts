import { countShards } from "../statements/expressions.ts";
import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";

export const openSessionFunction: Functions = {
  name: "open_session",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Serializes sessions under a limit with a lock: each statement sees what the previous holder committed. Sessions of the same device and user are
 * serialized too. Limits leave `remaining` for this many sessions of the device, including the new one. The sessions that expire first end. Times are in
 * milliseconds; `ahead` is the clock offset; a limit of 0 means none.
 *
 * While more sessions are free than there are connections, sessions under the database-wide limit open concurrently: the number of uncommitted ones
 * cannot exceed the number of connections.
 */
function definition({ openSession, schema, sessions, sessionCounts }: Tables): string {
  const locked = (name: string) => `pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  const ofUser = `'sallyport:${schema}:sessions:' || user_number`;
  const lockOfAll = `hashtextextended('sallyport:${schema}:sessions', 0)`;
  const isBelowLimit = `(select sum(sessions) from ${sessionCounts}) + current_setting('max_connections')::bigint < all_limit`;
  const others =
    "expires_at > now and not (user_id = user_number and app_key_id = app_key and device_id is not distinct from device and device is not null)";
  return `create or replace function ${openSession} (
    digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint
  ) returns void language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    remaining bigint := device_limit;
    ended integer := 0;
  begin
    if all_limit > 0 then
      if ${isBelowLimit} then
        perform pg_advisory_xact_lock_shared(${lockOfAll});
        if not (${isBelowLimit}) then
          raise exception using errcode = '40001', message = 'Meanwhile there is not so much room for sessions.';
        end if;
      else
        perform pg_advisory_xact_lock(${lockOfAll});
      end if;
    end if;
    if user_limit > 0 then
      perform ${locked(ofUser)};
      remaining := least(remaining, user_limit - (select count(*) from ${sessions} where user_id = user_number and ${others}));
      if remaining < 1 then
        raise exception using errcode = 'SP315', message = 'The user has as many sessions as allowed.';
      end if;
    end if;
    if all_limit > 0 and (select sum(sessions) from ${sessionCounts}) >= all_limit then
      remaining := least(remaining, all_limit - (select count(*) from ${sessions} where ${others}));
      if remaining < 1 then
        raise exception using errcode = 'SP315', message = 'There are as many sessions as allowed.';
      end if;
    end if;
    if device is not null then
      perform ${locked(`${ofUser} || ':' || app_key || ':' || device`)};
      delete from ${sessions} where digest = any (array(
        select digest from ${sessions} where user_id = user_number and app_key_id = app_key and device_id = device
        order by expires_at desc, opened_at desc, digest offset remaining - 1
      ));
      get diagnostics ended = row_count;
    end if;
    insert into ${sessions} (digest, mode, app_key_id, user_id, secret_version, app_names, device_id, opened_at, expires_at, ends_at,
      custom_account, custom_version, link_id, link_born)
    values ($1, $2, app_key, user_number, $10, $5, device,
      now, now + least(idle, lifetime) * interval '1 millisecond', now + lifetime * interval '1 millisecond',
      $13, $14, $15, $16);
    if ended <> 1 then
      update ${sessionCounts} set sessions = sessions + 1 - ended where shard = pg_backend_pid() % ${countShards};
    end if;
  end
  $$`;
}
