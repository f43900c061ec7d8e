import { types } from "node:util";
import { ServiceError } from "@sallyport/storage";
import { maskedUrl, type ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../monitoring/metrics.ts";
import { StartError } from "../start-error.ts";
import {
  connectionDiagnostics,
  connectTimeout,
  poolLimits,
  serverPlace,
  type SqlEngine,
  type DiagnosticsContext,
  diagnosticFor,
} from "./sql-engine.ts";

/** The used part of Knex's pool. */
interface CountedPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Opens a MariaDB pool that connects on first use. Throws for a missing driver or an unknown URL parameter. */
export async function openMariadb({ url, pool, statementTimeout }: ServerStorage): Promise<SqlEngine> {
  const { createMariadbKnex, mariadbFacts, mariadbRecovery, MariadbStorage } = await import("@sallyport/storage-knex");
  const options = { url, pool: poolLimits(pool), connectTimeout, statementTimeout };
  const { knex, close } = await createMariadbKnex(options).catch((error: unknown) => {
    throw new StartError((error as Error).message, { cause: error });
  });
  const counted = (knex.client as { readonly pool: CountedPool }).pool;
  return {
    name: maskedUrl(url),
    pool: (): PoolState => ({
      total: counted.numUsed() + counted.numFree(),
      idle: counted.numFree(),
      waiting: counted.numPendingAcquires(),
    }),
    replicas: null,
    facts: (schema) => mariadbFacts(knex, schema),
    openWriters: null,
    recovery: (schema) => mariadbRecovery(knex, schema),
    storage: ({ schema }) => new MariadbStorage({ knex, database: schema }),
    close,
  };
}

type Diagnostic = (context: DiagnosticsContext) => string;

const { silent, untrusted, full, withoutTls, byCode: common } = connectionDiagnostics("MariaDB");
const readOnly: Diagnostic = ({ at, message }) => `The MariaDB server at ${at} is read-only (${message}).`;
const refused: Diagnostic = ({ at, role, message }) =>
  `The MariaDB server at ${at} refused the account "${role}" (${message}).`;

/** By error number of the server. */
const byNumber: ReadonlyMap<unknown, Diagnostic> = new Map<unknown, Diagnostic>([
  ...diagnosticFor([1040, 1203, 1226], full),
  [1044, lacksDatabase],
  ...diagnosticFor([1045, 1698], refused),
  ...diagnosticFor([1142, 1143, 1227, 1370], lacksRight),
  ...diagnosticFor([1036, 1290, 1792, 1836, 1874], readOnly),
]);

/** By error code of the operating system or the driver. */
const byCode: ReadonlyMap<string, Diagnostic> = new Map<string, Diagnostic>([
  ...common,
  ["PROTOCOL_CONNECTION_LOST", silent],
  ["HANDSHAKE_NO_SSL_SUPPORT", withoutTls],
  ["HANDSHAKE_SSL_ERROR", untrusted],
]);

/** Explains to the operator why MariaDB is unavailable; `null` for an unknown reason. */
export function mariadbDiagnostics(
  error: unknown,
  { url, schema }: Pick<ServerStorage, "url" | "schema">,
): string | null {
  const place = serverPlace(url);
  if (!(error instanceof ServiceError) || !types.isNativeError(error.cause)) return null;
  const { message, code, errno } = error.cause as Error & { code?: unknown; errno?: unknown };
  const text = typeof code === "string" ? code : "";
  const words = byNumber.get(errno) ?? byCode.get(text);
  return words === undefined ? null : words({ ...place, schema, message: /^E[A-Z]+$/.test(text) ? text : message });
}

function lacksDatabase({ role, schema, message }: DiagnosticsContext): string {
  const remedy = `Run as an administrator: create database ${quoted(schema)} character set utf8mb4 collate utf8mb4_nopad_bin; grant all on ${quoted(schema)}.* to ${account(role)}`;
  return `The account "${role}" has no privileges on the database "${schema}" (${message}). ${remedy}`;
}

function lacksRight({ role, schema, message }: DiagnosticsContext): string {
  return `The account "${role}" lacks a privilege on the database "${schema}" (${message}). Run as an administrator: grant all on ${quoted(schema)}.* to ${account(role)}`;
}

function account(role: string): string {
  return `'${role.replaceAll("'", "''")}'@'%'`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}
