import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, planOnce } from "./writing-steps.ts";

export const lockFunctions: Functions = {
  name: "locks",
  number: 1,
  statements: (tables) => [takeLockFunction(tables), releaseLockFunction(tables)],
};

/**
 * Locks the object's row first: a running write ends before, and a later one sees the lock. A lock is valid while its
 * session is live. The row of the taker's session is locked before its locks are counted, so that concurrent takes of
 * one session are counted too.
 */
function takeLockFunction({ locks, objects, sessions, takeLock }: Tables): string {
  return `create or replace function ${takeLock} (number bigint, taker bytea, at_most bigint, ahead float8) returns text language plpgsql as $$
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    holder bytea;
  begin
    perform from ${objects} where oid = number for no key update;
    if not found then
      return 'notFound';
    end if;
    select l.session into holder from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = number and s.expires_at > now;
    if holder is not null then
      return case when holder = taker then 'locked' else 'lockedByOther' end;
    end if;
    if at_most > 0 then
      perform from ${sessions} where digest = taker for no key update;
      if (select count(*) from ${locks} where session = taker) >= at_most then
        return 'limitReached';
      end if;
    end if;
    insert into ${locks} as l (oid, session, since) values (number, taker, now)
      on conflict (oid) do update set session = excluded.session, since = excluded.since;
    return 'locked';
  end
  $$`;
}

/** Locks the row of the lock first, so that its holder cannot change before the removal. */
function releaseLockFunction({ locks, releaseLock, sessions }: Tables): string {
  return `create or replace function ${releaseLock} (number bigint, releaser bytea, ahead float8) returns text language plpgsql as $$
  declare
    holder bytea;
  begin
    select session into holder from ${locks} where oid = number for update;
    if holder is null or not exists (
      select from ${sessions} where digest = holder and expires_at > statement_timestamp() + ahead * interval '1 millisecond'
    ) then
      return 'notLocked';
    end if;
    if releaser is not null and holder <> releaser then
      return 'lockedByOther';
    end if;
    delete from ${locks} where oid = number;
    return 'released';
  end
  $$`;
}

export const lockObjectsFunction: Functions = {
  name: "lock_objects",
  number: 1,
  statements: (tables) => [lockObjectsDefinition(tables)],
};

/**
 * Locks rows of objects and of tombstones, so that others neither write nor reference them. Rows of each table are
 * locked in ascending order to avoid deadlocks.
 */
function lockObjectsDefinition(tables: Tables): string {
  const { tombstones, lockObjects, objects } = tables;
  const lockRows = (table: string) => `perform from ${table} where oid = any (numbers) order by oid for update;`;
  return `create or replace function ${lockObjects} (numbers bigint[], generation bigint) returns void language plpgsql ${planOnce} as $$
  begin
    ${acceptModel(tables, "generation")}
    ${lockRows(objects)}
    ${lockRows(tombstones)}
  end
  $$`;
}
