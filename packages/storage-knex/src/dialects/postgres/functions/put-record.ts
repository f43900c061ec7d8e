import type { Functions } from "../migrator.ts";
import { isIndexedRecord } from "../expressions.ts";
import type { Tables } from "../tables.ts";
import { planOnce } from "./writing-steps.ts";

export const putRecordFunction: Functions = {
  name: "put_record",
  number: 2,
  statements: (tables) => [definition(tables)],
};

/**
 * Puts a record if the current version matches (0: none, null: any) and the limits of its owner and of all records allow it. Answers the result. Calls
 * near a limit are serialized by a lock: each statement sees what the previous holder committed. Calls run concurrently while the free quota exceeds
 * the number of connections, because concurrent calls do not see one another's records. Times are in milliseconds; `ahead` is the clock offset; a limit
 * of 0 means none.
 *
 * Most records are new, so the insert comes first. The version of an existing row is assigned under its lock: the later writer has the higher one. An
 * expired record is replaced in its row.
 */
function definition({ putRecord, records, recordVersions, schema }: Tables): string {
  const lock = `'sallyport:${schema}:records:' || record_kind`;
  const named = "kind = record_kind and id = record_id";
  const nextVersion = `nextval('${recordVersions}')`;
  return `create or replace function ${putRecord} (
    record_kind text, record_id text, record_owner text, record_value json, lifetime float8, ahead float8, if_version bigint,
    owner_limit bigint, all_limit bigint
  ) returns text language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    ends constant timestamptz := coalesce(now + lifetime * interval '1 millisecond', 'infinity');
    present bigint;
    living boolean;
    new_version bigint;
  begin
    ${lockQuota("owner_limit", `${lock} || ':' || record_owner`, counted(records, "kind = record_kind and owner = record_owner", "owner_limit"), full("ownerFull"))}
    ${lockQuota("all_limit", lock, counted(records, `kind = record_kind and ${isIndexedRecord}`, "all_limit"), full("full"))}
    loop
      if coalesce(if_version, 0) = 0 then
        new_version := ${nextVersion};
        insert into ${records} (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, new_version, new_version, now, ends)
        on conflict (kind, id) do nothing;
        if found then
          return 'stored';
        end if;
      end if;
      select version, expires_at > now into present, living from ${records} where ${named} for update;
      if living and if_version = 0 then
        return 'exists';
      elsif if_version > 0 and (living is not true or present <> if_version) then
        return 'stale';
      end if;
      -- Else it has been removed.
      if present is not null then
        new_version := ${nextVersion};
        update ${records} set owner = record_owner, value = record_value, version = new_version, expires_at = ends, due_at = null, claims = 0,
          born = case when living then born else new_version end, created_at = case when living then created_at else now end
        where ${named};
        return 'stored';
      end if;
    end loop;
  end
  $$`;

  /** Reports an existing record before a full limit. */
  function full(outcome: string): string {
    return `case when exists (select from ${records} where ${named} and expires_at > now) then 'exists' else '${outcome}' end`;
  }
}

/** Counts up to the limit. */
function counted(table: string, which: string, limit: string): string {
  return `(select count(*) from (select from ${table} where ${which} and expires_at > now limit ${limit}) living)`;
}

/** Takes the lock, in share mode if far below the limit, or answers that the quota is full. */
function lockQuota(limit: string, lock: string, count: string, full: string): string {
  const isBelowLimit = `${count} + current_setting('max_connections')::bigint < ${limit}`;
  return `if ${limit} > 0 then
      if ${isBelowLimit} then
        perform pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0));
        if not (${isBelowLimit}) then
          raise exception using errcode = '40001', message = 'The room for records has become smaller.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended(${lock}, 0));
        if ${count} >= ${limit} then
          return ${full};
        end if;
      end if;
    end if;`;
}
