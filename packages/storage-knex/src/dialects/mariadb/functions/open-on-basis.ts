import { addMilliseconds } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure, raise } from "./procedure.ts";

/** The lock row that openings share, and that a change of rules takes alone. */
const lockRowOfRules = -2;

/** A database of an earlier version lacks the lock row. */
export const openOnBasisProcedures: Functions = {
  name: "open_on_basis",
  number: 1,
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

/** Opens a session on a basis. It locks the rules before everything else, as a change of rules does. */
function opening({ openOnBasis }: Tables): string {
  return procedure(
    openOnBasis,
    `basis longtext, new_digest binary(32), new_mode varchar(16), app_key varchar(64), user_number bigint, names longtext, device text,
    idle double, lifetime double, ahead double, version_of_secret integer, all_limit bigint, user_limit bigint,
    opened_by_account char(36), version_of_account integer, opened_by_link varchar(512), born_of_link bigint,
    device_limit bigint, limits longtext`,
    `if basis is not null then
        call ${own.requireBasis}(basis, ahead);
      end if;
      call ${own.openSession}(new_digest, new_mode, app_key, user_number, names, device, idle, lifetime, ahead, version_of_secret, all_limit,
        user_limit, opened_by_account, version_of_account, opened_by_link, born_of_link, device_limit, limits);`,
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
