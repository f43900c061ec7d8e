import { addMilliseconds, noExpiry } from "../expressions.ts";
import { type Functions, procedure } from "../migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";

/** The lock row for records under a total limit, and the number of lock rows that owners share by a checksum. */
const lockRowOfAllRecords = -1;
const ownerLockRows = 256;

export const putRecordProcedure: Functions = {
  name: "put_record",
  number: 2,
  statements: (tables) => [definition(tables)],
};

const named = "kind = record_kind and id = record_id";

/**
 * Puts a record if the current version matches (0: none, null: any) and the limits of its owner and of all records
 * allow it. Answers the result. Calls near a limit are serialized by the lock rows that apply. Calls run concurrently
 * under shared locks while the free quota exceeds the number of connections, because concurrent calls do not see one
 * another's records. Times are in milliseconds; `ahead` is the clock offset; a limit of 0 means none.
 *
 * Most records are new, so the insert comes first. It locks an existing row exclusively and leaves it unchanged. A
 * duplicate-key error would lock it in share mode, and two calls that then write it would deadlock. The version is
 * assigned under the lock: the later writer has the higher one. An expired record is replaced in its row.
 */
function definition({ putRecord }: Tables): string {
  return procedure(
    putRecord,
    `record_kind varchar(32), record_id varchar(512), record_owner varchar(200), record_value longtext, lifetime double, ahead double, if_version bigint,
    owner_limit bigint, all_limit bigint`,
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare ends datetime(6) default coalesce(${addMilliseconds("clock", "lifetime")}, ${noExpiry});
      declare lock_row integer;
      declare existing bigint;
      declare present bigint;
      declare living boolean;
      declare new_version bigint;
      ${lockQuota("owner_limit", `crc32(concat(record_kind, ' ', record_owner)) % ${ownerLockRows}`, counted("records_owner", "owner = record_owner and kind = record_kind", "owner_limit"), "ownerFull")}
      ${lockQuota("all_limit", String(lockRowOfAllRecords), counted("records_kind_expiry", "kind = record_kind", "all_limit"), "full")}
      if coalesce(if_version, 0) = 0 then
        set new_version = nextval(${own.recordVersions});
        insert into ${own.records} (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, new_version, new_version, clock, ends)
        on duplicate key update claims = claims;
      end if;
      select version, expires_at > clock into present, living from ${own.records} where ${named} for update;
      if present = new_version then
        select 'stored' as outcome;
      elseif living and if_version = 0 then
        select 'exists' as outcome;
      elseif if_version > 0 and (living is not true or present <> if_version) then
        select 'stale' as outcome;
      else
        set new_version = nextval(${own.recordVersions});
        update ${own.records} set owner = record_owner, value = record_value, version = new_version, expires_at = ends, due_at = null, claims = 0,
          born = if(living, born, new_version), created_at = if(living, created_at, clock)
        where ${named};
        select 'stored' as outcome;
      end if;`,
  );
}

/** Counts up to the limit, in a statement of its own: a subquery of a condition would lock the rows it reads. */
function counted(key: string, which: string, limit: string): string {
  return `select count(*) into existing from (
          select 1 from ${own.records} force index (${key}) where ${which} and expires_at > clock limit ${limit}
        ) counted;`;
}

/**
 * Locks the lock row, in share mode if far below the limit, or answers that the quota is full. An existing record
 * ignores a full quota. If the free quota has shrunk, it raises a deadlock error, so that the call is retried.
 */
function lockQuota(limit: string, lockRow: string, count: string, full: string): string {
  const isBelowLimit = `existing + @@max_connections < ${limit}`;
  const lockRowText = `select number into lock_row from ${own.recordLockRows} where number = ${lockRow}`;
  return `if ${limit} > 0 then
        ${count}
        if ${isBelowLimit} then
          ${lockRowText} lock in share mode;
          ${count}
          if not (${isBelowLimit}) then
            signal sqlstate '40001' set mysql_errno = 1213, message_text = 'The room for records has become smaller.';
          end if;
        else
          ${lockRowText} for update;
          ${count}
          if existing >= ${limit} then
            select if(count(*) = 0, '${full}', 'exists') as outcome from ${own.records} where ${named} and expires_at > clock;
            leave work;
          end if;
        end if;
      end if;`;
}

export const admitCallbackProcedure: Functions = {
  name: "admit_callback",
  number: 1,
  statements: (tables) => [admission(tables)],
};

/**
 * Spends the provider state of a callback, unless maintenance is on. Answers its value with the app key named in
 * it. A concurrent call waits for the row and then finds it deleted.
 */
function admission({ admitCallback }: Tables): string {
  const ofState = "kind = 'providerState' and id = state";
  const key = "json_value(stood, '$.appKey')";
  return procedure(
    admitCallback,
    "state varchar(64), ahead double",
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare stood longtext character set utf8mb4;
      begin
        declare continue handler for not found set stood = null;
        select value into stood from ${own.records}
        where ${ofState} and expires_at > clock and not (select maintenance from ${own.settings}) for update;
      end;
      if stood is not null then
        delete from ${own.records} where ${ofState};
      end if;
      select g.maintenance, g.model_generation, g.macro_generation,
        k.id as key_id, k.name as key_name, k.enabled as key_enabled, k.app_names as key_app_names, k.origins as key_origins,
        k.return_addresses as key_return_addresses, stood as payload
      from ${own.settings} g left join ${own.appKeys} k on k.digest = if(${key} regexp '^[0-9a-f]{64}$', unhex(${key}), null);`,
  );
}
