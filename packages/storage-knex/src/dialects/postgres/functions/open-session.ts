import { openings, seatBound } from "../../../sql-session-repository.ts";
import { ownShard } from "../expressions.ts";
import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";
import { planOnce } from "./writing-steps.ts";

export const openSessionFunction: Functions = {
  name: "open_session",
  number: 4,
  statements: (tables) => [
    definition(tables),
    earlierDefinition(tables),
    takingDefinition(tables),
    changeDefinition(tables),
  ],
};

/**
 * Opens a session on a basis. It locks the rules before everything else, as a change of rules does.
 *
 * Serializes sessions under a limit with a lock: each statement sees what the previous holder committed. Sessions of the same device and user are
 * serialized too. Limits leave `remaining` for this many sessions of the device, including the new one. The sessions that expire first end. The
 * seats are taken last, when these sessions have none. Times are in milliseconds; `ahead` is the clock offset; a limit of 0 means none.
 *
 * While more sessions are free than there are connections, sessions under the database-wide limit open concurrently: the number of uncommitted ones
 * cannot exceed the number of connections.
 */
function definition({ openSessionFrom, requireBasis, schema, sessions, sessionCounts, takeSeats }: Tables): string {
  const locked = (name: string) => `pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  const ofUser = `'sallyport:${schema}:sessions:' || user_number`;
  const lockOfAll = `hashtextextended('sallyport:${schema}:sessions', 0)`;
  const isBelowLimit = `(select sum(sessions) from ${sessionCounts}) + current_setting('max_connections')::bigint < all_limit`;
  const others =
    "expires_at > now and not (user_id = user_number and app_key_id = app_key and device_id is not distinct from device and device is not null)";
  return `create or replace function ${openSessionFrom} (
    ${sessionParameters}, basis jsonb, address text
  ) returns void language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    remaining bigint := device_limit;
    ended integer := 0;
  begin
    if basis is not null then
      perform ${requireBasis}(basis, ahead);
    end if;
    if all_limit > 0 then
      if ${isBelowLimit} then
        perform pg_advisory_xact_lock_shared(${lockOfAll});
        if not (${isBelowLimit}) then
          raise exception using errcode = '40001', message = 'The room for sessions has become smaller.';
        end if;
      else
        perform pg_advisory_xact_lock(${lockOfAll});
      end if;
    end if;
    if user_limit > 0 then
      perform ${locked(ofUser)};
      remaining := least(remaining, user_limit - (select count(*) from ${sessions} where user_id = user_number and ${others}));
    end if;
    if all_limit > 0 and (select sum(sessions) from ${sessionCounts}) >= all_limit then
      remaining := least(remaining, all_limit - (select count(*) from ${sessions} where ${others}));
    end if;
    if device is not null then
      perform ${locked(`${ofUser} || ':' || app_key || ':' || device`)};
      delete from ${sessions} where digest = any (array(
        select digest from ${sessions} where user_id = user_number and app_key_id = app_key and device_id = device
        order by expires_at desc, opened_at desc, digest offset greatest(remaining - 1, 0)
      ));
      get diagnostics ended = row_count;
    end if;
    if limits is not null then
      perform ${takeSeats}(limits, user_number, device, now);
    end if;
    if remaining < 1 then
      raise exception using errcode = 'SP315', message = 'There are as many sessions as allowed.';
    end if;
    insert into ${sessions} (digest, mode, app_key_id, user_id, secret_version, app_names, enrolling, device_id, opened_at, expires_at, ends_at,
      custom_account, custom_version, link_id, link_born, address)
    values ($1, $2, app_key, user_number, $10, $5, $5 = '[]', device,
      now, now + least(idle, lifetime) * interval '1 millisecond', now + lifetime * interval '1 millisecond',
      $13, $14, $15, $16, $20);
    update ${sessionCounts} set sessions = sessions + 1 - ended, opened = opened + 1 where shard = ${ownShard};
  end
  $$`;
}

const sessionParameters = `digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb`;

const sessionArguments = `digest, mode, app_key, user_number, app_names, device, idle, lifetime, ahead, secret_version, all_limit, user_limit,
      custom_account, custom_version, link_id, link_born, device_limit, limits`;

/** For servers of an earlier version. */
function earlierDefinition({ openSession, openSessionFrom }: Tables): string {
  return `create or replace function ${openSession} (
    ${sessionParameters}
  ) returns void language sql as $$ select ${openSessionFrom}(${sessionArguments}, null, null) $$`;
}

/**
 * Refuses a session that would take a seat too many. A holder's first session with the name takes its seat. The holders are counted only when needed:
 * every opening or reservation adds at most one, so the last count plus the openings and reservations since, of any name, is an upper bound. The lock of
 * the name serializes the calls that could take the last seat: each statement sees what the previous holder of the lock committed. Calls run concurrently
 * if they share a seat, or while more seats are free than there are connections, because they do not see one another. The locks are taken in one order.
 */
function takingDefinition({ takeSeats, schema, seatCounts, sessions, sessionCounts }: Tables): string {
  const opened = openings({ sessionCounts });
  const bound = seatBound({ seatCounts, sessionCounts }, { name: "listed.name", kind: "listed.kind" });
  const live = liveSessions({ sessions }, { name: "listed.name", now: "now" });
  // Most holders are found by the user, even on a device.
  const shares = `exists (select ${live} and user_id = new_user and (listed.kind = 'user' or device_id = new_device))
        or listed.kind = 'device' and exists (select ${live} and device_id = new_device)`;
  const needsNone = `coalesce(${bound} + current_setting('max_connections')::bigint < listed.seats, false) or ${shares}`;
  return `create or replace function ${takeSeats} (limits jsonb, new_user bigint, new_device text, now timestamptz)
  returns void language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    listed record;
    holders bigint;
    opened_before bigint;
  begin
    for listed in
      select name, seats, kind, hashtextextended('sallyport:${schema}:seats:' || name, 0) as lock
      from jsonb_to_recordset(limits) as limited (name text, seats bigint, kind text) order by lock
    loop
      if ${needsNone} then
        perform pg_advisory_xact_lock_shared(listed.lock);
        if not (${needsNone}) then
          raise exception using errcode = '40001', message = 'The number of free seats has become smaller.';
        end if;
        continue;
      end if;
      perform pg_advisory_xact_lock(listed.lock);
      continue when ${bound} < listed.seats;
      select count(*), ${opened} into holders, opened_before from (select distinct ${holder("listed.kind")} ${live}) holding;
      if holders >= listed.seats and not (${shares}) then
        raise exception using errcode = 'SP306', message = 'No seat of the app name is free.';
      end if;
      insert into ${seatCounts} (app_name, kind, taken, opened) values (listed.name, listed.kind, holders, opened_before)
      on conflict (app_name) do update set kind = excluded.kind, taken = excluded.taken, opened = excluded.opened;
    end loop;
  end
  $$`;
}

/** The taken seats of an app name, as a query. */
export function takenSeats(
  tables: Pick<Tables, "sessions">,
  { kind, ...names }: { readonly name: string; readonly kind: string; readonly now: string },
): string {
  return `select count(*) from (select distinct ${holder(kind)} ${liveSessions(tables, names)}) holding`;
}

function liveSessions(
  { sessions }: Pick<Tables, "sessions">,
  { name, now }: { readonly name: string; readonly now: string },
): string {
  const names = `jsonb_build_array(${name})`;
  return `from ${sessions} where (app_names @> ${names} or reserved_names @> ${names}) and expires_at > ${now}`;
}

/** The columns that are equal for the sessions that share a seat of this kind. */
function holder(kind: string): string {
  return `case when ${kind} <> 'device' or device_id is null then user_id end, case when ${kind} <> 'user' then device_id end,
        case when ${kind} <> 'user' and device_id is null then digest end`;
}

/** Reserves names, or releases them if they are given. Locks the session before the names, as openings do. Answers the result. */
function changeDefinition({ changeAppNames, sessions, sessionCounts, takeSeats }: Tables): string {
  return `create or replace function ${changeAppNames} (
    session bytea, reserve jsonb, limits jsonb, release jsonb, ahead float8
  ) returns text language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    released constant text[] := array(select jsonb_array_elements_text(release));
    present record;
    new_names jsonb;
  begin
    select user_id, device_id, app_names || coalesce(reserved_names, '[]') as names into present
    from ${sessions} where digest = session and expires_at > now for update;
    if not found then
      return 'ended';
    elsif not present.names @> release then
      return 'notHeld';
    elsif release is not null then
      update ${sessions} set app_names = app_names - released, reserved_names = reserved_names - released where digest = session;
      return 'changed';
    end if;
    select jsonb_agg(distinct name) into new_names from jsonb_array_elements(reserve) name where not present.names @> name;
    if new_names is not null then
      perform ${takeSeats}(
        (select jsonb_agg(limited) from jsonb_array_elements(limits) limited where new_names @> (limited -> 'name')),
        present.user_id, present.device_id, now
      );
      update ${sessions} set reserved_names = coalesce(reserved_names, '[]') || new_names where digest = session;
      update ${sessionCounts} set opened = opened + 1 where shard = ${ownShard};
    end if;
    return 'changed';
  end
  $$`;
}

export const openSecureSessionFunction: Functions = {
  name: "open_secure_session",
  number: 1,
  statements: (tables) => [secureDefinition(tables)],
};

/** Opens a session together with its channel. */
function secureDefinition({ channels, openSecureSession, openSessionFrom }: Tables): string {
  return `create or replace function ${openSecureSession} (
    ${sessionParameters}, basis jsonb, address text, wrapped_key text, iv_prefix bytea
  ) returns void language plpgsql as $$
  begin
    perform ${openSessionFrom}(${sessionArguments}, basis, address);
    insert into ${channels} (session, wrapped_key, iv_prefix) values (digest, $21, $22);
  end
  $$`;
}

export const openOnBasisFunctions: Functions = {
  name: "open_on_basis",
  number: 2,
  statements: (tables) => [requiring(tables), opening(tables), changing(tables)],
};

/** The key of the advisory lock that openings share, and that a change of rules takes alone. */
export function lockOfRules({ schema }: Pick<Tables, "schema">): string {
  return `hashtextextended('sallyport:${schema}:rules', 0)`;
}

/**
 * Refuses a session if a record has another version than the one that was read. The lock comes first: the statement after it sees what
 * its previous holder committed.
 */
function requiring(tables: Tables): string {
  const { requireBasis, records } = tables;
  return `create or replace function ${requireBasis} (basis jsonb, ahead float8) returns void language plpgsql ${planOnce} as $$
  begin
    perform pg_advisory_xact_lock_shared(${lockOfRules(tables)});
    if exists (
      select from jsonb_to_recordset(basis) as expected (kind text, id text, version bigint)
      where version <> coalesce((
        select r.version from ${records} r where r.kind = expected.kind and r.id = expected.id
          and r.expires_at > statement_timestamp() + ahead * interval '1 millisecond'
      ), 0)
    ) then
      raise exception using errcode = 'SP318', message = 'A record that the session depends on has changed.';
    end if;
  end
  $$`;
}

/** For servers of an earlier version. */
function opening({ openOnBasis, openSessionFrom }: Tables): string {
  return `create or replace function ${openOnBasis} (
    basis jsonb, ${sessionParameters}
  ) returns void language sql as $$ select ${openSessionFrom}(${sessionArguments}, basis, null) $$`;
}

function changing({ changeAppNames, changeOnBasis, requireBasis }: Tables): string {
  return `create or replace function ${changeOnBasis} (
    basis jsonb, session bytea, reserve jsonb, limits jsonb, release jsonb, ahead float8
  ) returns text language plpgsql as $$
  begin
    if basis is not null then
      perform ${requireBasis}(basis, ahead);
    end if;
    return ${changeAppNames}(session, reserve, limits, release, ahead);
  end
  $$`;
}
