import type { Functions } from "../migrations/migration.ts";
import type { Tables } from "../tables.ts";

export const issueOneTimeFunction: Functions = {
  name: "issue_one_time",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Keeps a secret if there is room, of its subject and in all, and answers what became of it. Those who come where room is scarce do so one after the other:
 * each statement of the function sees what the one before has committed while this one waited for the lock. While more room is free than there are
 * connections, they come side by side: whoever does not see another's yet is one of those who are under way with it. Times are milliseconds; `ahead`
 * is the offset of the clock; a limit of 0 is none.
 */
function definition({ issueOneTime, oneTimeSecrets, schema }: Tables): string {
  const lock = `'sallyport:${schema}:one-time:' || secret_kind`;
  return `create or replace function ${issueOneTime} (
    secret_kind text, secret_digest bytea, secret_subject text, secret_payload jsonb, lifetime float8, ahead float8, subject_limit bigint, all_limit bigint
  ) returns text language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
  begin
    ${entering("subject_limit", `${lock} || ':' || secret_subject`, counted(oneTimeSecrets, "kind = secret_kind and subject = secret_subject", "subject_limit"), "subjectFull")}
    ${entering("all_limit", lock, counted(oneTimeSecrets, "kind = secret_kind", "all_limit"), "full")}
    insert into ${oneTimeSecrets} as present (kind, digest, subject, payload, expires_at)
    values (secret_kind, secret_digest, secret_subject, secret_payload, now + lifetime * interval '1 millisecond')
    on conflict (kind, digest) do update set subject = excluded.subject, payload = excluded.payload, expires_at = excluded.expires_at
    where present.expires_at <= now;
    return case when found then 'issued' else 'known' end;
  end
  $$`;
}

/** How many are good; no more are looked at than the limit has. */
function counted(table: string, which: string, limit: string): string {
  return `(select count(*) from (select from ${table} where ${which} and expires_at > now limit ${limit}) good)`;
}

/** Takes the lock, shared where there is much room, or answers that there is none. */
function entering(limit: string, lock: string, count: string, full: string): string {
  const isRoomy = `${count} + current_setting('max_connections')::bigint < ${limit}`;
  return `if ${limit} > 0 then
      if ${isRoomy} then
        perform pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0));
        if not (${isRoomy}) then
          raise exception using errcode = '40001', message = 'Meanwhile there is not so much room for secrets.';
        end if;
      else
        perform pg_advisory_xact_lock(hashtextextended(${lock}, 0));
        if ${count} >= ${limit} then
          return '${full}';
        end if;
      end if;
    end if;`;
}
