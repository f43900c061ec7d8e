import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { planOnce } from "./writing-steps.ts";

export const openOnBasisFunctions: Functions = {
  name: "open_on_basis",
  number: 1,
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

/** Opens a session on a basis. It locks the rules before everything else, as a change of rules does. */
function opening({ openOnBasis, openSession, requireBasis }: Tables): string {
  return `create or replace function ${openOnBasis} (
    basis jsonb, digest bytea, mode text, app_key text, user_number bigint, app_names jsonb, device text,
    idle float8, lifetime float8, ahead float8, secret_version integer, all_limit bigint, user_limit bigint,
    custom_account uuid, custom_version integer, link_id text, link_born bigint, device_limit bigint, limits jsonb
  ) returns void language plpgsql as $$
  begin
    if basis is not null then
      perform ${requireBasis}(basis, ahead);
    end if;
    perform ${openSession}(digest, mode, app_key, user_number, app_names, device, idle, lifetime, ahead, secret_version, all_limit, user_limit,
      custom_account, custom_version, link_id, link_born, device_limit, limits);
  end
  $$`;
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
