import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Storage } from "@sallyport/core";
import { StorageEngines } from "../../composition/storages/storage-engines.ts";
import { connectTimeout } from "../../composition/storages/sql-engine.ts";
import { version } from "../../composition/version.ts";
import type { TestClock } from "../test-clock.ts";
import { keepSchema, type RunSql } from "./kept-schema.ts";
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
  const { openEmbeddedEngine } = await import("@sallyport/storage-pglite");
  const { KnexStorage } = await import("@sallyport/storage-knex");
  const { knex, capabilities, close } = await openEmbeddedEngine({ dataDir: "memory://" });
  const database: SqlDatabase = {
    run: runOn(knex),
    storage: (schema) => new KnexStorage({ knex, schema, capabilities, clockOffset: () => clock.offset }),
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
  const open = (address: string, max: number) => {
    const pool = { max, acquireTimeout: 10_000, maxPendingAcquires: 1_000 };
    const { knex, close } = createPostgresKnex({ url: address, pool, connectTimeout, statementTimeout: 30_000 });
    return { knex, close, run: runOn(knex) };
  };
  const server = open(url, 1);
  const template = content === null ? null : templateName(content);
  const name = `sallyport_test_${randomUUID().replaceAll("-", "")}`;
  const found = template === null ? null : await idsIn(server.run, template);
  await server.run(`create database ${name} template ${found === null || template === null ? "template0" : template}`);
  const { knex, close, run } = open(databaseUrl(url, name), 10);
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
      // Another worker made it meanwhile.
      if ((error as { readonly code?: unknown }).code !== "42P04") throw error;
    });
    await server.run(`comment on database ${copy} is '${textOf(ids).replaceAll("'", "''")}'`);
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
  return `sallyport_template_${createHash("sha256").update(`${version} ${content}`).digest("hex").slice(0, 24)}`;
}

function runOn(knex: { raw(text: string): PromiseLike<unknown> }): RunSql {
  return async <Row>(text: string) => ((await knex.raw(text)) as { readonly rows: readonly Row[] }).rows;
}

/** The ids of the content of a template database; `null` if it does not exist or is not complete. */
async function idsIn(run: RunSql, template: string): Promise<ContentIds | null> {
  const [found] = await run<{ text: string | null }>(
    `select shobj_description(oid, 'pg_database') as text from pg_database where datname = '${template}'`,
  );
  if (found === undefined || found.text === null) return null;
  const all = JSON.parse(found.text) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return new Map(Object.entries(all).map(([alias, ids]) => [alias, new Map(Object.entries(ids))]));
}

function textOf(ids: ContentIds): string {
  return JSON.stringify(Object.fromEntries(Array.from(ids, ([alias, each]) => [alias, Object.fromEntries(each)])));
}

function databaseUrl(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
