import { types } from "node:util";
import { ServiceError } from "@sallyport/storage";
import type { ReplicaState } from "@sallyport/storage-knex";
import { maskedUrl, type ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../monitoring/metrics.ts";
import { StartError } from "../start-error.ts";
import {
  connectionDiagnostics,
  connectTimeout,
  poolLimits,
  type ServerPlace,
  serverPlace,
  type SqlEngine,
  type DiagnosticsContext,
} from "./sql-engine.ts";

/** The used part of the driver's pool. */
interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Opens connection pools to Postgres and its replicas. They connect on first use. Throws for a URL that cannot be used. */
export async function openPostgres(
  { url, readUrls, pool, statementTimeout }: ServerStorage,
  onReplicaChange: (state: ReplicaState) => void,
): Promise<SqlEngine> {
  const { createPostgresKnex, KnexStorage, postgresFacts, postgresOpenWriters, postgresRecovery, PostgresReplicas } =
    await import("@sallyport/storage-knex");
  const settings = { pool: poolLimits(pool), connectTimeout, statementTimeout };
  const open = () => {
    const { knex, close } = createPostgresKnex({ ...settings, url });
    const parts = { ...settings, urls: readUrls, primary: knex, onChange: onReplicaChange };
    return { knex, close, replicas: readUrls.length === 0 ? undefined : new PostgresReplicas(parts) };
  };
  const { knex, close, replicas } = orStartError(open);
  const counted = (knex.client as { readonly pool: CountedPool }).pool;
  return {
    name: maskedUrl(url),
    pool: (): PoolState => ({ total: counted.totalCount, idle: counted.idleCount, waiting: counted.waitingCount }),
    replicas: replicas ?? null,
    facts: async (schema) => ({
      ...(await postgresFacts(knex, schema)),
      replicas: (await replicas?.examine()) ?? [],
      openWriters: await postgresOpenWriters(knex, schema),
    }),
    openWriters: (schema) => postgresOpenWriters(knex, schema),
    recovery: (schema) => postgresRecovery(knex, schema),
    storage: ({ schema, ...configuration }, { onTimeline = () => {}, onMove = () => {} }) => {
      const afterLossyFailover =
        ("afterLossyFailover" in configuration && configuration.afterLossyFailover) || "refuse";
      const timelines = { afterLossyFailover, report: onTimeline };
      return new KnexStorage({ knex, schema, timelines, onMove, ...(replicas === undefined ? {} : { replicas }) });
    },
    close: async () => {
      await replicas?.close();
      await close();
    },
  };
}

/** The errors of a URL say what is wrong, without the URL. */
function orStartError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error });
  }
}

interface PostgresContext extends DiagnosticsContext {
  /** Whether the server refused the connection and not a statement. */
  readonly connecting: boolean;
  /** Where the database is, if it was moved. */
  readonly place: string;
}

type Diagnostic = (context: PostgresContext) => string;

const { silent, full, withoutTls, byCode: common } = connectionDiagnostics("Postgres");

/** By SQLSTATE, its class, or error code of the operating system. */
const byCode: ReadonlyMap<string, Diagnostic> = new Map<string, Diagnostic>([
  ...common,
  [
    "3D000",
    ({ at, database, ...place }) =>
      `The database "${database}" does not exist on the Postgres server at ${at}. Create it: ${createdb({ database, ...place })}`,
  ],
  ["28P01", ({ at, role }) => `The Postgres server at ${at} refused the password of the role "${role}".`],
  ["28", ({ at, role, message }) => `The Postgres server at ${at} refused the role "${role}" (${message}).`],
  ["42501", lacksRight],
  ["53300", full],
  ["57P03", ({ at, message }) => `The Postgres server at ${at} is not ready (${message}).`],
  ["MOVED", ({ at, place }) => `The database was moved from ${at} to ${place}. Set storage.url to the new place.`],
  ["25006", ({ at }) => `The Postgres server at ${at} is a read-only standby.`],
]);

/** Driver errors without a code. */
const byText: readonly (readonly [RegExp, Diagnostic])[] = [
  [
    /^SASL: .*password must be/,
    ({ at, role }) =>
      `The Postgres server at ${at} requires a password of the role "${role}". The connection string has none.`,
  ],
  [/does not support SSL/, withoutTls],
  [/^(?:timeout expired|Connection terminated)/, silent],
];

/** Explains to the operator why Postgres is unavailable; `null` for an unknown reason. */
export function postgresDiagnostics(
  error: unknown,
  { url, schema }: Pick<ServerStorage, "url" | "schema">,
): string | null {
  const place = serverPlace(url);
  if (!(error instanceof ServiceError) || !types.isNativeError(error.cause)) return null;
  const { message, code, place: movedTo = "" } = error.cause as Error & { code?: unknown; place?: string };
  const text = typeof code === "string" ? code : "";
  const words =
    byCode.get(text) ?? byCode.get(text.slice(0, 2)) ?? byText.find(([pattern]) => pattern.test(message))?.[1];
  if (words === undefined) return null;
  return words({
    ...place,
    schema,
    message: /^E[A-Z_]+$/.test(text) ? text : message,
    connecting: error.code === 704,
    place: movedTo,
  });
}

function lacksRight({ role, database, schema, message, connecting }: PostgresContext): string {
  if (connecting) return `The role "${role}" cannot connect to the database "${database}" (${message}).`;
  const remedy = `Run as a superuser: create schema ${quoted(schema)} authorization ${quoted(role)}`;
  return /for database\b/.test(message)
    ? `The role "${role}" cannot create the schema "${schema}" in the database "${database}". ${remedy}`
    : `The role "${role}" lacks a privilege in the database "${database}" (${message}). It must own the schema "${schema}" and all objects in it.`;
}

/** Shell command that creates the database as the superuser `postgres`. */
function createdb({ host, port, role, database }: Pick<ServerPlace, "host" | "port" | "role" | "database">): string {
  const owner = role === "" || role === "postgres" ? [] : ["-O", role];
  return ["createdb", "-h", host, "-p", port, "-U", "postgres", ...owner, database].map(shellWord).join(" ");
}

function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
