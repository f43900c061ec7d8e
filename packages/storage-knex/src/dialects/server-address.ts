import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";

export type ServerEngine = "mariadb" | "postgres";

/** A host of a server: its name or IP address and a port, or the directory (Postgres) or file (MariaDB) of a socket. */
export interface ServerHost {
  readonly host: string;
  readonly port: number;
}

/** The parts of a connection string. */
export interface ServerAddress {
  readonly engine: ServerEngine;
  /** Several hosts are servers of one cluster of Postgres. */
  readonly hosts: readonly [ServerHost, ...ServerHost[]];
  /** The texts are empty if they are not given. */
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The other parameters. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A connection string cannot be used. The message contains nothing of it but a host and names of files. */
export class InvalidAddress extends Error {
  override readonly name = "InvalidAddress";

  constructor(reason: string) {
    super(`The database URL ${reason}`);
  }
}

const tlsParameters = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/** The parameters of an engine, beside those that replace a part of the address. */
const parametersOf: Readonly<Record<ServerEngine, readonly string[]>> = {
  mariadb: tlsParameters,
  postgres: tlsParameters.concat(
    ["ssl", "sslnegotiation", "uselibpqcompat", "target_session_attrs"],
    ["application_name", "client_encoding", "options"],
    ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "query_timeout"],
  ),
};

/** Parameters that replace a part of the address. */
const replacements: Readonly<Record<ServerEngine, readonly string[]>> = {
  mariadb: ["socket"],
  postgres: ["host", "port", "user", "password"],
};

export const usualPort: Readonly<Record<ServerEngine, number>> = { mariadb: 3306, postgres: 5432 };

const hostName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/;

/**
 * Parses `postgres://user:password@host:5432,other/database?name=value`, also with the schemes `postgresql`, `mariadb`
 * and `mysql`. A socket of Postgres is a host `%2Frun%2Fpostgresql` or a parameter `host`, one of MariaDB a parameter
 * `socket`. Unknown parameters are refused, so that an ignored setting never appears to be in force. Throws an
 * `InvalidAddress`.
 */
export function parseAddress(url: string): ServerAddress {
  const [, scheme, authority = "", path = "", query = ""] =
    /^(postgres|postgresql|mariadb|mysql):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? [];
  const engine = scheme?.startsWith("postgres") === true ? "postgres" : "mariadb";
  const at = authority.lastIndexOf("@");
  // Behind an @ outside of the credentials, the host is a part of the password.
  if (scheme === undefined || /@/.test(path + query) || /\s/.test(url)) throw unencoded();
  const [user = "", ...password] = authority.slice(0, Math.max(at, 0)).split(":");
  const parameters = parametersIn(query, engine);
  const host = parameters.get("host") ?? parameters.get("socket");
  const hosts = host === undefined ? authority.slice(at + 1) : encodeURIComponent(host).replaceAll("%2C", ",");
  const port = parameters.get("port");
  const parsed = hosts.split(",").map((each) => hostIn(each, engine, port));
  if (engine === "mariadb" && parsed.length > 1) throw new InvalidAddress("must name one host of MariaDB.");
  return {
    engine,
    hosts: parsed as [ServerHost, ...ServerHost[]],
    user: parameters.get("user") ?? decoded(user),
    password: parameters.get("password") ?? decoded(password.join(":")),
    database: decoded(path),
    parameters: new Map([...parameters].filter(([name]) => parametersOf[engine].includes(name))),
  };
}

function unencoded(): InvalidAddress {
  return new InvalidAddress(
    "cannot be read. Percent-encode the characters : / ? # [ ] @ % and blanks in user, password and database, such as %40 for @.",
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unencoded();
  }
}

function parametersIn(query: string, engine: ServerEngine): Map<string, string> {
  const pairs = query.split("&").filter((each) => each !== "");
  const parameters = pairs.map((each) => each.split(/=(.*)/s, 2).map((part) => decoded(part)));
  const parameterNames = [...replacements[engine], ...parametersOf[engine]];
  for (const [index, [name = ""]] of parameters.entries()) {
    // An unknown name can be a piece of a password in which an & is not encoded.
    if (!parameterNames.includes(name))
      throw new InvalidAddress(
        `has an unknown parameter, number ${index + 1}. Known are ${parameterNames.join(", ")}.`,
      );
  }
  return new Map(parameters.map(([name = "", value = ""]) => [name, value]));
}

function hostIn(text: string, engine: ServerEngine, commonPort: string | undefined): ServerHost {
  const [, name = "", ownPort] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  const host = decoded(name.replace(/^\[(.*)\]$/, "$1")) || "localhost";
  const port = commonPort ?? (ownPort || `${usualPort[engine]}`);
  const isKnown = host.startsWith("/") || isIP(host) !== 0 || hostName.test(host);
  if (!isKnown || !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) throw unencoded();
  return { host, port: Number(port) };
}

/** Host and port of a host, for messages. */
export function hostText({ host, port }: ServerHost): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether a host is this machine. */
export function isLocal({ host }: ServerHost): boolean {
  return (
    host.startsWith("/") || host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
  );
}

/** How a connection is encrypted, with the contents of the files. */
export interface ServerTls {
  /** Whether an authority must have signed the certificate. */
  readonly verifiesAuthority: boolean;
  /** Whether the certificate must be that of the host. */
  readonly verifiesHost: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the files of an address; `undefined` if the connection is not encrypted. The modes are those of libpq:
 * `require` encrypts, and checks the authority only with `sslrootcert`. Without a mode, `sslrootcert` checks everything.
 */
export function tlsOf({ parameters, engine }: ServerAddress): ServerTls | undefined {
  const root = parameters.get("sslrootcert");
  const mode = parameters.get("sslmode") ?? usualMode(parameters);
  if (mode === "disable") return undefined;
  if (!["require", "no-verify", "verify-ca", "verify-full"].includes(mode))
    throw new InvalidAddress("must have an sslmode of disable, require, verify-ca or verify-full.");
  const ofSystem = root === "system" && engine === "postgres";
  if (mode === "verify-ca" && (root === undefined || ofSystem))
    throw new InvalidAddress(
      "must name the certificate of the authority in sslrootcert: verify-ca would accept any server that an authority of the system has signed.",
    );
  const [ca, cert, key] = [ofSystem ? undefined : root, parameters.get("sslcert"), parameters.get("sslkey")].map(
    (file, place) => (file === undefined ? undefined : contentOf(file, tlsParameters[place + 1])),
  );
  const files = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  assertUsable(files);
  return {
    ...files,
    verifiesAuthority: mode !== "no-verify" && (mode !== "require" || root !== undefined),
    verifiesHost: mode === "verify-full" || (ofSystem && mode === "require"),
  };
}

function assertUsable(files: Pick<ServerTls, "ca" | "cert" | "key">): void {
  if (Object.keys(files).length === 0) return;
  try {
    // Node ignores an authority without a certificate.
    if (files.ca?.includes("-----BEGIN") === false) throw new Error();
    createSecureContext(files);
  } catch {
    throw new InvalidAddress(`names no usable PEM files as ${Object.keys(files).map(tlsParameterOf).join(", ")}.`);
  }
}

function tlsParameterOf(file: string): string {
  return file === "ca" ? "sslrootcert" : `ssl${file}`;
}

function usualMode(parameters: ServerAddress["parameters"]): string {
  const ssl = parameters.get("ssl") ?? "false";
  if (tlsParameters.some((name) => parameters.has(name)) || ["1", "true"].includes(ssl)) return "verify-full";
  return parameters.get("sslnegotiation") === "direct" ? "require" : "disable";
}

function contentOf(file: string, parameter = ""): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidAddress(`names the file ${file} as ${parameter}, which cannot be read (${code}).`);
  }
}

/** Throws an `InvalidAddress` if the server would refuse to start with this connection string. */
export function checkAddress(url: string): void {
  const address = parseAddress(url);
  void tlsOf(address);
  void needsWritable(address);
}

/** Whether connections must accept writes: `target_session_attrs`, or several hosts. */
export function needsWritable({ hosts, parameters }: ServerAddress): boolean {
  const attributes = parameters.get("target_session_attrs") ?? (hosts.length > 1 ? "read-write" : "any");
  if (!["any", "read-write", "primary"].includes(attributes))
    throw new InvalidAddress("must have target_session_attrs of read-write, primary or any.");
  return attributes !== "any";
}
