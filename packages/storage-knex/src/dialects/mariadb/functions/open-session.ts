import { addMilliseconds } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure, raise } from "./procedure.ts";

/** The lock row for a database-wide session limit, and the number of lock rows that users share by remainder. */
const lockRowOfAll = -1;
const userLockRows = 256;

export const openSessionProcedure: Functions = {
  name: "open_session",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Serializes conflicting calls that open sessions under a limit or for a device: each locks the rows that apply. Limits leave `remaining` for this
 * many sessions of the device, including the new one. The sessions that expire first end, each locked by its key. Times are in milliseconds;
 * `ahead` is the clock offset; a limit of 0 means none. Counting stops at the limit.
 */
function definition({ openSession }: Tables): string {
  const others =
    "expires_at > clock and not (user_id <=> user_number and app_key_id <=> app_key and device_id <=> device and device is not null)";
  const opened = `${addMilliseconds("clock", "least(idle, lifetime)")}`;
  const ends = addMilliseconds("clock", "lifetime");
  return procedure(
    openSession,
    `new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint`,
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare lock_row integer;
      declare beside bigint;
      declare remaining bigint default device_limit;
      if all_limit > 0 then
        select number into lock_row from ${own.sessionLockRows} where number = ${lockRowOfAll} for update;
      end if;
      if user_limit > 0 or device is not null then
        select number into lock_row from ${own.sessionLockRows} where number = user_number % ${userLockRows} for update;
      end if;
      if user_limit > 0 then
        select count(*) into beside from ${own.sessions} where user_id = user_number and ${others};
        if beside >= user_limit then
          ${raise("SP315", "The user has as many sessions as allowed.")};
        end if;
        set remaining = least(remaining, user_limit - beside);
      end if;
      if all_limit > 0 then
        select count(*) into beside from (select 1 from ${own.sessions} where ${others} limit all_limit) live;
        if beside >= all_limit then
          ${raise("SP315", "There are as many sessions as allowed.")};
        end if;
        set remaining = least(remaining, all_limit - beside);
      end if;
      if device is not null then
        set remaining = remaining - 1;
        for old in (
          select digest from ${own.sessions} where user_id = user_number and app_key_id = app_key and device_id = device
          order by expires_at desc, opened_at desc, digest limit remaining, 1000000
        ) do
          delete from ${own.sessions} where digest = old.digest;
        end for;
      end if;
      insert into ${own.sessions} (digest, mode, app_key_id, user_id, secret_version, app_names, device_id, opened_at, expires_at, ends_at,
        custom_account, custom_version, link_id, link_born)
      values (new_digest, new_mode, app_key, user_number, version_of_secret, names, device, clock, ${opened}, ${ends},
        opened_by_account, version_of_account, opened_by_link, born_of_link);`,
  );
}
