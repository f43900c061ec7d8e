import { later } from "../statements/storage-time.ts";
import { never } from "../statements/record-statements.ts";
import type { Functions } from "../migrations/migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/** The gate that those hold who put records under a limit for all, and how many owners share by a checksum. */
const lockRowOfAllRecords = -1;
const ownerLockRows = 256;

export const putRecordProcedure: Functions = {
  name: "put_record",
  number: 1,
  statements: (tables) => [definition(tables)],
};

const named = "kind = record_kind and id = record_id";

/**
 * Puts a record if the one that is to be there is (0: none, null: any), and if there is room, of its owner and in all; answers what became of it. Those
 * who come where room is scarce do so one after the other: each holds the gates that count. While more room is free than there are connections, they
 * come side by side, sharing the gates: what a call does not see yet is put by calls that run at the same time. Times are milliseconds; `ahead` is
 * the offset of the clock; a limit of 0 is none.
 *
 * Most records are new, so that this is tried first; a row that is there is held by it, and left as it is: one that is told to be there by an error
 * would be shared, and two calls that go on to write it would wait for one another. It gets its version once it is held: the later writer has the
 * higher one. A record whose time is over makes room for a new one in its row.
 */
function definition({ putRecord }: Tables): string {
  return procedure(
    putRecord,
    `record_kind varchar(32), record_id varchar(512), record_owner varchar(200), record_value longtext, lifetime double, ahead double, if_version bigint,
    owner_limit bigint, all_limit bigint`,
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare ends datetime(6) default coalesce(${later("clock", "lifetime")}, ${never});
      declare held integer;
      declare good bigint;
      declare present bigint;
      declare living boolean;
      declare drawn bigint;
      ${entering("owner_limit", `crc32(concat(record_kind, ' ', record_owner)) % ${ownerLockRows}`, counted("records_owner", "owner = record_owner and kind = record_kind", "owner_limit"), "ownerFull")}
      ${entering("all_limit", String(lockRowOfAllRecords), counted("records_kind_expiry", "kind = record_kind", "all_limit"), "full")}
      if coalesce(if_version, 0) = 0 then
        set drawn = nextval(${own.recordVersions});
        insert into ${own.records} (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, drawn, drawn, clock, ends)
        on duplicate key update claims = claims;
      end if;
      select version, expires_at > clock into present, living from ${own.records} where ${named} for update;
      if present = drawn then
        select 'stored' as outcome;
      elseif living and if_version = 0 then
        select 'exists' as outcome;
      elseif if_version > 0 and (living is not true or present <> if_version) then
        select 'stale' as outcome;
      else
        set drawn = nextval(${own.recordVersions});
        update ${own.records} set owner = record_owner, value = record_value, version = drawn, expires_at = ends, due_at = null, claims = 0,
          born = if(living, born, drawn), created_at = if(living, created_at, clock)
        where ${named};
        select 'stored' as outcome;
      end if;`,
  );
}

/** Counts those that there are, no more than the limit has: by a statement of its own, as a subquery of a condition would hold what it reads. */
function counted(key: string, which: string, limit: string): string {
  return `select count(*) into good from (
          select 1 from ${own.records} force index (${key}) where ${which} and expires_at > clock limit ${limit}
        ) counted;`;
}

/**
 * Holds the gate, shared where there is much room, or answers that there is none, which says nothing to those whose record is there. What has changed
 * meanwhile is told like a deadlock: the same call can succeed.
 */
function entering(limit: string, gate: string, count: string, full: string): string {
  const isRoomy = `good + @@max_connections < ${limit}`;
  const holding = `select gate into held from ${own.recordLockRows} where gate = ${gate}`;
  return `if ${limit} > 0 then
        ${count}
        if ${isRoomy} then
          ${holding} lock in share mode;
          ${count}
          if not (${isRoomy}) then
            signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Meanwhile there is not so much room for records.';
          end if;
        else
          ${holding} for update;
          ${count}
          if good >= ${limit} then
            select if(count(*) = 0, '${full}', 'exists') as outcome from ${own.records} where ${named} and expires_at > clock;
            leave work;
          end if;
        end if;
      end if;`;
}
