import { randomInt } from "node:crypto";
import type { Knex } from "knex";
import { usualIdleInTransactionTimeout } from "../../pooled-connections.ts";
import { canHoldTwo, probeAlone, type Requirement, unmetRequirements } from "../../schema.ts";
import type { ServerFacts } from "../../sql-storage.ts";
import { type Connection, rollBack, type Run, runnerOf, runOn, withConnection } from "./connection.ts";
import { canReadHistory, confirmedByAll } from "./expressions.ts";
import { type Tables, tablesOf } from "./tables.ts";

/**
 * 1 schema. An owner can migrate. Without a schema, the role must be able to create it. The sequence of an identity column
 * needs no privilege.
 */
const factsQuery = `
  select current_setting('server_version') as version,
    pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
    least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      nullif((select rolconnlimit from pg_roles where rolname = current_user), -1)
    ) as connections,
    (select setting::integer from pg_settings where name = 'statement_timeout') as timeout,
    case when current_setting('synchronous_standby_names') = '' then null
      when not ${confirmedByAll()} then 'unclear'
      when ${canReadHistory("format('%I.timeline_history()', $1::text)")} then 'possible' else 'unreadable' end as proof,
    array_remove(array[
      case when current_setting('idle_in_transaction_session_timeout')::interval = '0'
        then 'idle_in_transaction_session_timeout = ${usualIdleInTransactionTimeout}' end,
      case when current_setting('jit')::boolean then 'jit = off' end
    ], null) as settings,
    case when n.oid is null then has_database_privilege(current_database(), 'CREATE')
      else has_schema_privilege(n.oid, 'CREATE') and not exists (
        select from pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'S') and not pg_has_role(c.relowner, 'USAGE')
      ) end as can_change,
    case when n.oid is null or has_schema_privilege(n.oid, 'USAGE') then '{}'::text[] else array['USAGE on schema ' || $1] end || array(
      select privilege || ' on ' || c.relname
      from pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) with ordinality as p (privilege, position)
      where c.relnamespace = n.oid and c.relkind in ('r', 'p') and c.relname <> 'migrations'
        and not has_table_privilege(c.oid, privilege)
      order by c.relname, position
    ) || array(
      select 'USAGE on ' || c.relname from pg_class c
      where c.relnamespace = n.oid and case c.relkind when 'S' then not has_sequence_privilege(c.oid, 'USAGE') else false end
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
      order by c.relname
    ) || array(
      select distinct 'EXECUTE on ' || p.proname from pg_proc p
      where p.pronamespace = n.oid and p.prorettype <> 'trigger'::regtype and not has_function_privilege(p.oid, 'EXECUTE')
      order by 1
    ) as missing,
    quote_ident($1) as schema, quote_ident(current_user) as role
  from (select 1) one left join pg_namespace n on n.nspname = $1`;

interface FactsRow {
  readonly version: string;
  readonly read_only: boolean;
  readonly connections: number;
  readonly timeout: number;
  readonly settings: readonly string[];
  readonly can_change: boolean;
  readonly proof: ServerFacts["failoverProof"];
  readonly missing: readonly string[];
  readonly schema: string;
  readonly role: string;
}

/** A kind of missing privileges, and the statement that grants all of them. */
const grantable: readonly (readonly [RegExp, string])[] = [
  [/^USAGE on schema /, "usage on schema"],
  [/^(?:SELECT|INSERT|UPDATE|DELETE) on /, "select, insert, update, delete on all tables in schema"],
  [/^USAGE on (?!schema )/, "usage on all sequences in schema"],
  [/^EXECUTE on /, "execute on all functions in schema"],
];

/** Reads the facts of a server for one schema. Errors are those of the storage. */
export function postgresFacts(knex: Knex, schema: string): Promise<ServerFacts> {
  return withConnection(knex, async (connection) => {
    const { rows } = await runOn<FactsRow>(connection, { text: factsQuery, values: [schema] });
    const {
      version,
      read_only: isReadOnly,
      can_change: canChangeSchema,
      proof: failoverProof,
      connections,
      timeout,
      settings,
      missing,
      schema: place,
      role,
    } = rows[0] as FactsRow;
    return {
      version,
      isReadOnly,
      missingPrivileges: missing,
      grants: grantable
        .filter(([pattern]) => missing.some((each) => pattern.test(each)))
        .map(([, what]) => `grant ${what} ${place} to ${role}`),
      canChangeSchema,
      maxConnections: connections,
      statementTimeout: timeout,
      failoverProof,
      missingSettings: settings,
      unmetRequirements: () => unmetBy(knex, tablesOf(schema)),
    };
  });
}

/** Two sessions of the server, each in an open transaction that is rolled back. */
interface Sessions {
  readonly one: Run;
  readonly other: Run;
  readonly tables: Tables;
}

/** Requirements that two sessions show. Engines that speak Postgres's protocol accept these calls without their effect. */
const betweenSessions: readonly Requirement<Sessions>[] = [
  {
    reason:
      "Its advisory locks do not exclude other sessions, so that limits would be exceeded and model changes lost.",
    holds: async ({ one, other }) => {
      const values = [randomInt(2 ** 47)];
      await one({ text: "select pg_advisory_xact_lock($1::bigint)", values });
      const { rows } = await other<{ taken: boolean }>({
        text: "select pg_try_advisory_xact_lock($1::bigint) as taken",
        values,
      });
      return rows[0]?.taken === false;
    },
  },
  {
    reason: "Its sessions do not see one another's advisory locks, so that synchronization would miss changes.",
    holds: async ({ one, other }) => {
      const values = [randomInt(2 ** 31), randomInt(2 ** 31)];
      await one({ text: "select pg_advisory_xact_lock_shared($1, $2)", values });
      const { rows } = await other<{ writers: number }>({
        text: `select count(distinct virtualtransaction)::integer as writers from pg_locks
          where locktype = 'advisory' and objsubid = 2 and (classid, objid) = ($1::integer::oid, $2::integer::oid)`,
        values,
      });
      return rows[0]?.writers === 1;
    },
  },
  {
    reason:
      "Its statements do not see what was committed before them (read committed), so that limits would be exceeded.",
    holds: async ({ one, other }) => {
      const text = "select txid_snapshot_xmax(txid_current_snapshot())::text as next";
      const next = async () => BigInt((await one<{ next: string }>({ text })).rows[0]?.next ?? -1);
      const before = await next();
      await other({ text: "select txid_current()" });
      await other({ text: "commit" });
      await other({ text: begin });
      return (await next()) > before;
    },
  },
];

const counted = "sallyport.counted";

/** Requirements of the tables. The probes create such tables in the schema itself, which an engine can place on another node. */
const ofTables: readonly Requirement<Pick<Sessions, "one" | "tables">>[] = [
  {
    reason: "Its triggers do not see the rows and settings of a statement, so that counts of objects would be wrong.",
    holds: async ({ one, tables: { schema } }) => {
      const [rows, counts, count] = ["rows", "counts", "count"].map((name) => `"${schema}".requirement_${name}`);
      const statements = [
        `create table ${rows} (number integer)`,
        `create table ${counts} (number bigint)`,
        `create function ${count} () returns trigger language plpgsql as $$
          begin insert into ${counts} select count(*) from added; return null; end $$`,
        `create trigger counted after insert on ${rows} referencing new table as added for each statement
          when (coalesce(current_setting('${counted}', true), '') <> 'yes') execute function ${count}()`,
        `insert into ${rows} values (1), (2)`,
        `select set_config('${counted}', 'yes', true)`,
        `insert into ${rows} values (3)`,
      ];
      for (const text of statements) await one({ text });
      const result = await one<{ numbers: string }>({
        text: `select string_agg(number::text, ' ') as numbers from ${counts}`,
      });
      return result.rows[0]?.numbers === "2";
    },
  },
  {
    reason: "Each of its sessions reserves numbers of a sequence, so that a later record could have a lower version.",
    holds: async ({ one, tables: { schema } }) => {
      const name = `"${schema}".requirement_numbers`;
      await one({ text: `create sequence ${name}` });
      const text = `select seqcache::text as reserved from pg_sequence where seqrelid = '${name}'::regclass`;
      return (await one<{ reserved: string }>({ text })).rows[0]?.reserved === "1";
    },
  },
];

const begin = "begin isolation level read committed";

/** The reasons why the server is unsuitable for a schema. Rejects without a connection. */
export async function unmetBy(knex: Knex, tables: Tables): Promise<string[]> {
  await withConnection(knex, async () => {});
  return probeAlone(knex, async () => [
    ...(canHoldTwo(knex.client as object)
      ? await unmetRequirements(betweenSessions, (holds) =>
          inTransaction(knex, (one) => inTransaction(knex, (other) => holds({ one, other, tables }))),
        )
      : []),
    ...(await unmetRequirements(ofTables, (holds) =>
      inTransaction(knex, async (one) => !(await prepareSchema(one, tables)) || (await holds({ one, tables }))),
    )),
  ]);
}

function inTransaction<T>(knex: Knex, work: (run: Run) => Promise<T>): Promise<T> {
  return withConnection(knex, async (connection: Connection) => {
    const run = runnerOf(connection);
    await run({ text: begin });
    try {
      return await work(run);
    } finally {
      await rollBack(connection);
    }
  });
}

/** Makes sure that the schema exists. `false` without the right to create in it, or while another process migrates it. */
async function prepareSchema(run: Run, { schema }: Tables): Promise<boolean> {
  const { rows } = await run<{ free: boolean; exists: boolean; permitted: boolean }>({
    text: `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free, n.oid is not null as exists,
      case when n.oid is null then has_database_privilege(current_database(), 'CREATE') else has_schema_privilege(n.oid, 'CREATE') end as permitted
      from (select 1) one left join pg_namespace n on n.nspname = $2`,
    values: [migrationLock(schema), schema],
  });
  const [state] = rows;
  if (state?.free !== true || !state.permitted) return false;
  if (!state.exists) await run({ text: `create schema "${schema}"` });
  return true;
}

/** The name of the advisory lock that migrations of a schema hold. */
export function migrationLock(schema: string): string {
  return `sallyport:${schema}:migrations`;
}
