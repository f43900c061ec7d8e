import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Storage } from "@sallyport/storage";
import { StorageEngines } from "../../composition/storages/storage-engines.ts";
import { connectTimeout } from "../../composition/storages/sql-engine.ts";
import { version } from "../../composition/version.ts";
import type { TestClock } from "../test-clock.ts";
import { keepSchema, type RunSql } from "./schema-copy.ts";
import type { ContentIds, TestStorages } from "./test-storages.ts";

/** A connection to Postgres for storages, which tests also reset. */
interface SqlDatabase {
  readonly run: RunSql;
  storage(schema: string): Storage;
  close(): Promise<void>;
}

/** A schema for each alias. */
function schemaOf(alias: string): string {
  return alias === "" ? "sallyport_test" : `sallyport_test_${alias.replaceAll("-", "_")}`;
}

/** Opens all storages in one database. */
class DatabaseEngines extends StorageEngines {
  constructor(private readonly database: SqlDatabase) {
    super();
  }

  protected override async make(configuration: { readonly engine: string; readonly schema?: string }) {
    return this.database.storage(configuration.schema ?? "");
  }

  /** None: they would open an engine for the place, which is not where the storages are. */
  override async facts(): Promise<null> {
    return null;
  }

  override async openWriters(): Promise<readonly []> {
    return [];
  }

  override async close(): Promise<void> {
    await super.close();
    await this.database.close();
  }
}

/** Restores the rows of all schemas. */
async function keepSchemas({ run }: SqlDatabase, aliases: readonly string[]): Promise<() => Promise<void>> {
  const restores: string[] = [];
  for (const alias of aliases) restores.push(await keepSchema(run, schemaOf(alias)));
  return async () => {
    for (const restore of restores) await run(restore);
  };
}

/** Storages in the embedded engine, in the memory of this process. `directory` is not used. */
export async function embeddedStorages(
  clock: TestClock,
  aliases: readonly string[],
  directory: string,
): Promise<TestStorages> {
  const { openEmbeddedEngine, preparedSchemas } = await import("@sallyport/storage-pglite");
  const { KnexStorage } = await import("@sallyport/storage-knex");
  const { knex, capabilities, close } = await openEmbeddedEngine({ dataDir: "memory://" });
  const database: SqlDatabase = {
    run: runOn(knex),
    storage: (schema) =>
      new KnexStorage({ knex, schema, capabilities, preparedSchemas, clockOffset: () => clock.offset }),
    close,
  };
  return {
    engines: new DatabaseEngines(database),
    place: (alias) => ({ engine: "embedded", dataDir: directory, schema: schemaOf(alias) }),
    found: async () => null,
    keep: () => keepSchemas(database, aliases),
  };
}

/** The driver's pool, as far as copies of a database need it. */
interface CountedPool {
  readonly totalCount: number;
}

/**
 * Storages in a new database on a server, which exists until the close. The first service with a content makes a
 * template database of it, which stays; later ones copy it. `content`: `null` for no template. The role must be able to create databases.
 */
export async function postgresStorages(
  clock: TestClock,
  aliases: readonly string[],
  { url, content }: { readonly url: string; readonly content: string | null },
): Promise<TestStorages> {
  const { createPostgresKnex, KnexStorage } = await import("@sallyport/storage-knex");
  const name = testDatabaseName();
  const open = (address: string, limits: { readonly max: number; readonly idleTimeout?: number }) => {
    const pool = { ...limits, acquireTimeout: 10_000, maxPendingAcquires: 1_000 };
    const settings = { connectTimeout, statementTimeout: 30_000, applicationName: name };
    const { knex, close } = createPostgresKnex({ url: address, pool, ...settings });
    return { knex, close, run: runOn(knex) };
  };
  // This connection stays open. Its name tells that the database is in use.
  const server = open(url, { max: 1, idleTimeout: 0 });
  const template = content === null ? null : templateName(content);
  const found = template === null ? null : await idsIn(server.run, template);
  await server.run(`create database ${name} template ${found === null || template === null ? "template0" : template}`);
  await removeLeftovers(server.run);
  const { knex, close, run } = open(databaseUrl(url, name), { max: 10 });
  const database: SqlDatabase = {
    run,
    storage: (schema) => new KnexStorage({ knex, schema, clockOffset: () => clock.offset }),
    close: async () => {
      await close();
      await server.run(`drop database if exists ${name} with (force)`);
      await server.close();
    },
  };
  const makeTemplate = async (copy: string, ids: ContentIds): Promise<void> => {
    // A database can be copied only while no one is connected to it.
    await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    const pool = (knex.client as { readonly pool: CountedPool }).pool;
    while (pool.totalCount > 0) await pause(5);
    await server.run(`create database ${copy} template ${name}`).catch((error: unknown) => {
      // Another worker was faster.
      if ((error as { readonly code?: unknown }).code !== "42P04") throw error;
    });
    await commentOn(server.run, copy, ids);
  };
  let missing = found === null ? template : null;
  return {
    engines: new DatabaseEngines(database),
    place: (alias) => ({ url, schema: schemaOf(alias) }),
    found: async () => found,
    keep: async (ids) => {
      const restore = await keepSchemas(database, aliases);
      if (missing !== null) await makeTemplate(missing, ids);
      missing = null;
      return restore;
    },
  };
}

function templateName(content: string): string {
  return `${templatePrefix}${createHash("sha256").update(`${version} ${content}`).digest("hex").slice(0, 24)}`;
}

function runOn(knex: { raw(text: string): PromiseLike<unknown> }): RunSql {
  return async <Row>(text: string) => ((await knex.raw(text)) as { readonly rows: readonly Row[] }).rows;
}

/** The comment of a template database. */
interface TemplateComment {
  /** The day of the last use. */
  readonly used: string;
  /** By name and alias. */
  readonly ids: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The ids of the content of a template database; `null` if it does not exist or is not complete. */
async function idsIn(run: RunSql, template: string): Promise<ContentIds | null> {
  const [found] = await run<{ text: string | null }>(
    `select shobj_description(oid, 'pg_database') as text from pg_database where datname = '${template}'`,
  );
  if (found === undefined || found.text === null) return null;
  const { used, ids } = JSON.parse(found.text) as TemplateComment;
  const all = new Map(Object.entries(ids).map(([alias, each]) => [alias, new Map(Object.entries(each))] as const));
  // Another service that starts now can write the same.
  if (used !== today()) await commentOn(run, template, all).catch(() => {});
  return all;
}

const today = (): string => new Date().toISOString().slice(0, 10);

async function commentOn(run: RunSql, template: string, ids: ContentIds): Promise<void> {
  const comment: TemplateComment = {
    used: today(),
    ids: Object.fromEntries(Array.from(ids, ([alias, each]) => [alias, Object.fromEntries(each)])),
  };
  await run(`comment on database ${template} is '${JSON.stringify(comment).replaceAll("'", "''")}'`);
}

const testPrefix = "sallyport_test_";
const templatePrefix = "sallyport_template_";

/** Databases of this age that no connection uses are left over, in milliseconds. */
const testAge = 3_600_000;

/** Templates that were not used for so long are old, in days. */
const templateAge = 7;

/** A name with its time, in seconds since 1970. */
function testDatabaseName(): string {
  return `${testPrefix}${Math.floor(Date.now() / 1_000)}_${randomUUID().replaceAll("-", "")}`;
}

/** Drops the databases of killed runs and old templates, as far as they belong to this role. */
async function removeLeftovers(run: RunSql): Promise<void> {
  const oldest = Math.floor((Date.now() - testAge) / 1_000);
  const left = await run<{ name: string }>(`
    select d.datname as name from pg_database d
    where pg_has_role(d.datdba, 'usage')
      and not exists (select from pg_stat_activity a where a.datid = d.oid or a.application_name = d.datname)
      and (
        (d.datname ~ '^${testPrefix}[0-9]{10}_[0-9a-f]{32}$' and substr(d.datname, ${testPrefix.length + 1}, 10)::bigint < ${oldest})
        or (
          d.datname ~ '^${templatePrefix}[0-9a-f]{24}$'
          and substring(shobj_description(d.oid, 'pg_database') from '"used":"([0-9-]{10})"')::date < current_date - ${templateAge}
        )
      )`);
  for (const { name } of left)
    await run(`drop database if exists ${name}`).catch((error: unknown) => {
      // Another service uses it again, or drops it, too.
      if (!["55006", "42501"].includes(String((error as { readonly code?: unknown }).code))) throw error;
    });
}

function databaseUrl(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
