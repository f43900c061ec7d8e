import { openings } from "../../../sql-session-repository.ts";
import { addMilliseconds, textsIn } from "../expressions.ts";
import { type Functions, procedure, raise } from "../migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";

/** The lock row for a database-wide session limit, and the number of lock rows that users share by remainder. */
const lockRowOfAll = -1;
const userLockRows = 256;

/** Rows of the count of openings, by connection, so that openings do not block one another. */
const countShards = 64;

/** Counts an opening or a reservation. */
const countOpening = `update ${own.sessionCounts} set opened = opened + 1 where shard = connection_id() % ${countShards};`;

export const openSessionProcedure: Functions = {
  name: "open_session",
  number: 3,
  statements: (tables) => [
    definition(tables),
    earlierDefinition(tables),
    takingDefinition(tables),
    changeDefinition(tables),
  ],
};

const sessionParameters = `new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint, limits longtext`;

const sessionArguments = `new_digest, new_mode, app_key, user_number, names, device, idle, lifetime, ahead, version_of_secret, all_limit,
        user_limit, opened_by_account, version_of_account, opened_by_link, born_of_link, device_limit, limits`;

/** For servers of an earlier version. */
function earlierDefinition({ openSession }: Tables): string {
  return procedure(openSession, sessionParameters, `call ${own.openSessionFrom}(${sessionArguments}, null, null);`);
}

/**
 * Opens a session on a basis. It locks the rules before everything else, as a change of rules does.
 *
 * Serializes conflicting calls that open sessions under a limit or for a device: each locks the rows that apply. Limits leave `remaining` for this
 * many sessions of the device, including the new one. The sessions that expire first end, each locked by its key. The
 * seats are taken last, when these sessions have none. Times are in milliseconds; `ahead` is the clock offset; a limit of 0 means none. Counting stops at the limit.
 */
function definition({ openSessionFrom }: Tables): string {
  const others =
    "expires_at > clock and not (user_id <=> user_number and app_key_id <=> app_key and device_id <=> device and device is not null)";
  const opened = `${addMilliseconds("clock", "least(idle, lifetime)")}`;
  const ends = addMilliseconds("clock", "lifetime");
  return procedure(
    openSessionFrom,
    `${sessionParameters}, basis longtext, client_address varchar(64)`,
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare lock_row integer;
      declare beside bigint;
      declare remaining bigint default device_limit;
      declare staying bigint;
      if basis is not null then
        call ${own.requireBasis}(basis, ahead);
      end if;
      if all_limit > 0 then
        select number into lock_row from ${own.sessionLockRows} where number = ${lockRowOfAll} for update;
      end if;
      if user_limit > 0 or device is not null then
        select number into lock_row from ${own.sessionLockRows} where number = user_number % ${userLockRows} for update;
      end if;
      if user_limit > 0 then
        select count(*) into beside from ${own.sessions} where user_id = user_number and ${others};
        set remaining = least(remaining, user_limit - beside);
      end if;
      if all_limit > 0 then
        select count(*) into beside from (select 1 from ${own.sessions} where ${others} limit all_limit) live;
        set remaining = least(remaining, all_limit - beside);
      end if;
      if device is not null then
        set staying = greatest(remaining - 1, 0);
        for old in (
          select digest from ${own.sessions} where user_id = user_number and app_key_id = app_key and device_id = device
          order by expires_at desc, opened_at desc, digest limit staying, 1000000
        ) do
          delete from ${own.sessions} where digest = old.digest;
        end for;
      end if;
      if limits is not null then
        call ${own.takeSeats}(limits, user_number, device, clock);
      end if;
      if remaining < 1 then
        ${raise("SP315", "There are as many sessions as allowed.")};
      end if;
      insert into ${own.sessions} (digest, mode, app_key_id, user_id, secret_version, app_names, reserved_names, enrolling, device_id, opened_at, expires_at, ends_at,
        custom_account, custom_version, link_id, link_born, address)
      values (new_digest, new_mode, app_key, user_number, version_of_secret, names, '[]', json_length(names) = 0, device, clock, ${opened}, ${ends},
        opened_by_account, version_of_account, opened_by_link, born_of_link, client_address);
      insert into ${own.sessionNames} (app_name, session) select distinct value, new_digest from ${textsIn("names")} listed;
      ${countOpening}`,
  );
}

/**
 * Refuses a session that would take a seat too many. A holder's first session with the name takes its seat. The holders
 * are counted only when needed: every opening or reservation adds at most one, so the last count plus the openings and
 * reservations since, of any name, is an upper bound. The row of the name serializes the calls. The rows are locked in
 * one order.
 */
function takingDefinition({ takeSeats }: Tables): string {
  const opened = openings(own);
  const live = liveSessions(own, { name: "listed.name", now: "clock" });
  return procedure(
    takeSeats,
    `limits longtext, new_user bigint, new_device varchar(600), clock datetime(6)`,
    `declare bound bigint;
      declare holders bigint;
      declare shared bigint;
      declare opened_before bigint;
      for listed in (
        select name, seats, kind from json_table(limits, '$[*]' columns (
          name varchar(512) path '$.name', seats bigint path '$.seats', kind varchar(16) path '$.kind'
        )) limited order by name
      ) do
        insert into ${own.seatCounts} (app_name, kind, taken, opened) values (listed.name, listed.kind, null, 0)
        on duplicate key update taken = if(kind = value(kind), taken, null), kind = value(kind);
        select taken - opened + ${opened} into bound from ${own.seatCounts} where app_name = listed.name;
        if bound is null or bound >= listed.seats then
          select count(*) into shared from (
            select 1 ${live} and (listed.kind = 'device' or s.user_id = new_user) and (listed.kind = 'user' or s.device_id = new_device) limit 1
          ) sharing;
          if shared = 0 then
            select count(*), ${opened} into holders, opened_before from (select distinct ${holder("listed.kind")} ${live}) holding;
            if holders >= listed.seats then
              ${raise("SP306", "No seat of the app name is free.")};
            end if;
            update ${own.seatCounts} set taken = holders, opened = opened_before where app_name = listed.name;
          end if;
        end if;
      end for;`,
  );
}

/** The taken seats of an app name, as a query. */
export function takenSeats(
  tables: Pick<Tables, "sessionNames" | "sessions">,
  { kind, ...names }: { readonly name: string; readonly kind: string; readonly now: string },
): string {
  return `select count(*) as count from (select distinct ${holder(kind)} ${liveSessions(tables, names)}) holding`;
}

function liveSessions(
  { sessionNames, sessions }: Pick<Tables, "sessionNames" | "sessions">,
  { name, now }: { readonly name: string; readonly now: string },
): string {
  return `from ${sessionNames} n join ${sessions} s on s.digest = n.session where n.app_name = ${name} and s.expires_at > ${now}`;
}

/** The columns that are equal for the sessions that share a seat of this kind. */
function holder(kind: string): string {
  return `if(${kind} <> 'device' or s.device_id is null, s.user_id, null) as user, if(${kind} <> 'user', s.device_id, null) as device,
              if(${kind} <> 'user' and s.device_id is null, s.digest, null) as session`;
}

/** Reserves names, or releases them if they are given. Locks the session before the names, as openings do. Answers the result. */
function changeDefinition({ changeAppNames }: Tables): string {
  const names = (list: string) => `(select value from ${textsIn(list)} listed)`;
  const without = (column: string) =>
    `(select coalesce(json_arrayagg(value), '[]') from ${textsIn(column)} kept where value not in ${names("released")})`;
  return procedure(
    changeAppNames,
    `changed binary(32), reserve longtext, limits longtext, released longtext, ahead double`,
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare holder_user bigint;
      declare holder_device varchar(600);
      declare new_names json;
      select user_id, device_id into holder_user, holder_device
      from ${own.sessions} where digest = changed and expires_at > clock for update;
      if holder_user is null then
        select 'ended' as outcome;
        leave work;
      end if;
      if released is not null then
        if exists (
          select 1 from ${textsIn("released")} wanted
          where value not in (select app_name from ${own.sessionNames} where session = changed)
        ) then
          select 'notHeld' as outcome;
          leave work;
        end if;
        delete from ${own.sessionNames} where session = changed and app_name in ${names("released")};
        update ${own.sessions} set app_names = ${without("app_names")}, reserved_names = ${without("reserved_names")} where digest = changed;
        select 'changed' as outcome;
        leave work;
      end if;
      select json_arrayagg(value) into new_names from (select distinct value from ${textsIn("reserve")} listed) wanted
      where value not in (select app_name from ${own.sessionNames} where session = changed);
      if new_names is not null then
        call ${own.takeSeats}(
          (select coalesce(json_arrayagg(json_object('name', name, 'seats', seats, 'kind', kind)), '[]') from json_table(limits, '$[*]' columns (
            name varchar(512) path '$.name', seats bigint path '$.seats', kind varchar(16) path '$.kind'
          )) limited where name in ${names("new_names")}),
          holder_user, holder_device, clock
        );
        insert into ${own.sessionNames} (app_name, session) select value, changed from ${textsIn("new_names")} listed;
        update ${own.sessions} set reserved_names = json_merge_preserve(reserved_names, new_names) where digest = changed;
        ${countOpening}
      end if;
      select 'changed' as outcome;`,
  );
}

/** The lock row that openings share, and that a change of rules takes alone. */
const lockRowOfRules = -2;

/** A database of an earlier version lacks the lock row. */
export const openOnBasisProcedures: Functions = {
  name: "open_on_basis",
  number: 2,
  statements: (tables) => [
    `insert ignore into ${tables.sessionLockRows} (number) values (${lockRowOfRules})`,
    requiring(tables),
    opening(tables),
    changing(tables),
  ],
};

/** Locks the rules until the transaction ends. */
export function lockRules({ sessionLockRows }: Pick<Tables, "sessionLockRows">): string {
  return `select number from ${sessionLockRows} where number = ${lockRowOfRules} for update`;
}

/**
 * Refuses a session if a record has another version than the one that was read. The lock comes first: the statement
 * after it sees what its previous holder committed.
 */
function requiring({ requireBasis }: Tables): string {
  return procedure(
    requireBasis,
    "basis longtext, ahead double",
    `declare lock_row integer;
      declare changed integer;
      select number into lock_row from ${own.sessionLockRows} where number = ${lockRowOfRules} lock in share mode;
      select count(*) into changed from json_table(basis, '$[*]' columns (
        kind varchar(32) character set utf8mb4 collate utf8mb4_nopad_bin path '$.kind',
        id varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin path '$.id',
        version bigint path '$.version'
      )) expected
      where expected.version <> coalesce((
        select r.version from ${own.records} r where r.kind = expected.kind and r.id = expected.id
          and r.expires_at > ${addMilliseconds("now(6)", "ahead")}
      ), 0);
      if changed > 0 then
        ${raise("SP318", "A record that the session depends on has changed.")};
      end if;`,
  );
}

/** For servers of an earlier version. */
function opening({ openOnBasis }: Tables): string {
  return procedure(
    openOnBasis,
    `basis longtext, ${sessionParameters}`,
    `call ${own.openSessionFrom}(${sessionArguments}, basis, null);`,
  );
}

function changing({ changeOnBasis }: Tables): string {
  return procedure(
    changeOnBasis,
    "basis longtext, changed binary(32), reserve longtext, limits longtext, released longtext, ahead double",
    `if basis is not null then
        call ${own.requireBasis}(basis, ahead);
      end if;
      call ${own.changeAppNames}(changed, reserve, limits, released, ahead);`,
  );
}
