import { types } from "node:util";
import { ServiceError } from "@sallyport/core";
import { maskedUrl, type ServerStorage } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";
import { StartError } from "../start-error.ts";
import { type ServerPlace, serverPlace, type SqlEngine } from "./sql-engine.ts";

/** Milliseconds in which a new connection must stand. */
const connectTimeout = 3_000;

/** What is read of Knex's pool. */
interface CountedPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** A connection pool to a MariaDB server; connects on first use. Throws if the driver is not installed, or the connection string has what it does not know. */
export async function openMariadb({ url, pool, statementTimeout }: ServerStorage): Promise<SqlEngine> {
  const { createMariadbKnex, MariadbStorage } = await import("@sallyport/storage-knex");
  const { max, acquireTimeout, maxWaiting } = pool;
  const limits = { max, acquireTimeout, maxPendingAcquires: maxWaiting };
  const { knex, close } = await createMariadbKnex({ url, pool: limits, connectTimeout, statementTimeout }).catch(
    (error: unknown) => {
      throw new StartError((error as Error).message, { cause: error });
    },
  );
  const counted = (knex.client as { readonly pool: CountedPool }).pool;
  return {
    name: maskedUrl(url),
    pool: (): PoolState => ({
      total: counted.numUsed() + counted.numFree(),
      idle: counted.numFree(),
      waiting: counted.numPendingAcquires(),
    }),
    storage: (schema) => new MariadbStorage({ knex, database: schema }),
    close,
  };
}

interface Trouble extends ServerPlace {
  readonly schema: string;
  /** What the driver or the server said. */
  readonly said: string;
}

type Words = (trouble: Trouble) => string;

const silent: Words = ({ at, said }) => `No MariaDB answers at ${at} (${said}).`;
const nameless: Words = ({ host, said }) => `The host ${host} cannot be found (${said}).`;
const untrusted: Words = ({ at, said }) => `The certificate of the MariaDB at ${at} is not accepted (${said}).`;
const full: Words = ({ at, said }) => `The MariaDB at ${at} takes no more connections (${said}).`;
const readOnly: Words = ({ at, said }) => `The MariaDB at ${at} can only be read (${said}).`;

/** By the number of the server's error. */
const byNumber: ReadonlyMap<unknown, Words> = new Map<unknown, Words>([
  [1040, full],
  [1203, full],
  [1226, full],
  [1044, lacksDatabase],
  [1045, ({ at, role, said }) => `The MariaDB at ${at} does not let the account "${role}" in (${said}).`],
  [1698, ({ at, role, said }) => `The MariaDB at ${at} does not let the account "${role}" in (${said}).`],
  [1142, lacksRight],
  [1143, lacksRight],
  [1227, lacksRight],
  [1370, lacksRight],
  [1290, readOnly],
  [1792, readOnly],
  [1836, readOnly],
]);

/** By the code of the operating system or the driver. */
const byCode: ReadonlyMap<string, Words> = new Map<string, Words>([
  ["ENOTFOUND", nameless],
  ["EAI_AGAIN", nameless],
  ["ECONNREFUSED", silent],
  ["ECONNRESET", silent],
  ["EHOSTUNREACH", silent],
  ["ENETUNREACH", silent],
  ["ENOENT", silent],
  ["ETIMEDOUT", silent],
  ["PROTOCOL_CONNECTION_LOST", silent],
  [
    "HANDSHAKE_NO_SSL_SUPPORT",
    ({ at }) => `The MariaDB at ${at} offers no TLS, which the connection string asks for (sslmode).`,
  ],
  ["HANDSHAKE_SSL_ERROR", untrusted],
  ["CERT_HAS_EXPIRED", untrusted],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
  ["ERR_TLS_CERT_ALTNAME_INVALID", untrusted],
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
]);

/** Why a MariaDB does not serve a database, in words for its operator; `null` if the error tells no known reason. */
export function mariadbTrouble(error: unknown, { url, schema }: Pick<ServerStorage, "url" | "schema">): string | null {
  const place = serverPlace(url, "3306");
  if (!(error instanceof ServiceError) || place === null || !types.isNativeError(error.cause)) return null;
  const { message, code, errno } = error.cause as Error & { code?: unknown; errno?: unknown };
  const text = typeof code === "string" ? code : "";
  const words = byNumber.get(errno) ?? byCode.get(text);
  return words === undefined ? null : words({ ...place, schema, said: /^E[A-Z]+$/.test(text) ? text : message });
}

function lacksDatabase({ role, schema, said }: Trouble): string {
  const remedy = `Let an administrator run: create database ${quoted(schema)} character set utf8mb4 collate utf8mb4_nopad_bin; grant all on ${quoted(schema)}.* to ${account(role)}`;
  return `The account "${role}" has no right to the database "${schema}" (${said}). ${remedy}`;
}

function lacksRight({ role, schema, said }: Trouble): string {
  return `The account "${role}" lacks a right in the database "${schema}" (${said}). Let an administrator run: grant all on ${quoted(schema)}.* to ${account(role)}`;
}

function account(role: string): string {
  return `'${role.replaceAll("'", "''")}'@'%'`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}
