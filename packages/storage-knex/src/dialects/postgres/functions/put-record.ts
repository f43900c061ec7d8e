import type { Functions } from "../migrations/migrator.ts";
import { ofMany } from "../statements/record-statements.ts";
import type { Tables } from "../tables.ts";
import { planOnce } from "./writing-steps.ts";

export const putRecordFunction: Functions = {
  name: "put_record",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Puts a record if the one that is to be there is (0: none, null: any), and if there is room, of its owner and in all; answers what became of it. Those
 * who come where room is scarce do so one after the other: each statement of the function sees what the one before has committed while this one
 * waited for the lock. While more room is free than there are connections, they come side by side: what a call does not see yet is put by calls that
 * run at the same time. Times are milliseconds; `ahead` is the offset of the clock; a limit of 0 is none.
 *
 * Most records are new, so that this is tried first. A row that is there gets its version once it is held: the later writer has the higher one. A
 * record whose time is over makes room for a new one in its row.
 */
function definition({ putRecord, records, recordVersions, schema }: Tables): string {
  const lock = `'sallyport:${schema}:records:' || record_kind`;
  const named = "kind = record_kind and id = record_id";
  const draw = `nextval('${recordVersions}')`;
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
    drawn bigint;
  begin
    ${entering("owner_limit", `${lock} || ':' || record_owner`, counted(records, "kind = record_kind and owner = record_owner", "owner_limit"), full("ownerFull"))}
    ${entering("all_limit", lock, counted(records, `kind = record_kind and ${ofMany}`, "all_limit"), full("full"))}
    loop
      if coalesce(if_version, 0) = 0 then
        drawn := ${draw};
        insert into ${records} (kind, id, owner, value, version, born, created_at, expires_at)
        values (record_kind, record_id, record_owner, record_value, drawn, drawn, now, ends)
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
      -- Else it was removed meanwhile.
      if present is not null then
        drawn := ${draw};
        update ${records} set owner = record_owner, value = record_value, version = drawn, expires_at = ends, due_at = null, claims = 0,
          born = case when living then born else drawn end, created_at = case when living then created_at else now end
        where ${named};
        return 'stored';
      end if;
    end loop;
  end
  $$`;

  /** A record that is there is told before the lack of room. */
  function full(outcome: string): string {
    return `case when exists (select from ${records} where ${named} and expires_at > now) then 'exists' else '${outcome}' end`;
  }
}

/** How many there are; no more are looked at than the limit has. */
function counted(table: string, which: string, limit: string): string {
  return `(select count(*) from (select from ${table} where ${which} and expires_at > now limit ${limit}) living)`;
}

/** Takes the lock, shared where there is much room, or answers that there is none. */
function entering(limit: string, lock: string, count: string, full: string): string {
  const isRoomy = `${count} + current_setting('max_connections')::bigint < ${limit}`;
  return `if ${limit} > 0 then
      if ${isRoomy} then
        perform pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0));
        if not (${isRoomy}) then
          raise exception using errcode = '40001', message = 'Meanwhile there is not so much room for records.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended(${lock}, 0));
        if ${count} >= ${limit} then
          return ${full};
        end if;
      end if;
    end if;`;
}
