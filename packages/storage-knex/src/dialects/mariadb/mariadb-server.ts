import { readFileSync } from "node:fs";

/** The server's address and credentials, as the driver expects. */
interface MariadbServer {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly user: string;
  readonly password: string;
  readonly ssl?: {
    readonly rejectUnauthorized: boolean;
    readonly verifyIdentity: boolean;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
  };
}

/**
 * Parses `mariadb://user:password@host:3306/database`. The connection ignores the database. The query string can have
 * `socket` (path), `sslmode` (`disable`; `require`: encrypted, any server; `verify-ca`; `verify-full`), `sslrootcert`,
 * `sslcert` and `sslkey` (paths). Other parameters are refused, so that an ignored setting never appears to be in
 * force.
 */
export function serverOf(url: string): MariadbServer {
  if (!/^(?:mariadb|mysql):\/\//.test(url) || !URL.canParse(url)) {
    // The parser's error would repeat the URL, password included.
    throw new Error("The database URL is invalid.");
  }
  const { hostname, port, username, password, searchParams } = new URL(url);
  const unknown = [...searchParams.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`The database URL has unknown parameters: ${unknown.join(", ")}.`);
  const socket = searchParams.get("socket");
  const ssl = tlsOf(searchParams);
  return {
    ...(socket === null
      ? { host: hostname.replace(/^\[(.*)\]$/, "$1") || "localhost", port: Number(port || 3306) }
      : { socketPath: socket }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(ssl === undefined ? {} : { ssl }),
  };
}

const known = new Set(["socket", "sslmode", "sslrootcert", "sslcert", "sslkey"]);

function tlsOf(parameters: URLSearchParams): MariadbServer["ssl"] {
  const mode = parameters.get("sslmode") ?? (parameters.has("sslrootcert") ? "verify-full" : "disable");
  if (mode === "disable") return undefined;
  if (!["require", "verify-ca", "verify-full"].includes(mode)) {
    throw new Error("The sslmode of the database URL must be disable, require, verify-ca or verify-full.");
  }
  const read = (name: string) =>
    parameters.get(name) === null ? undefined : readFileSync(parameters.get(name) as string, "utf8");
  const [ca, cert, key] = [read("sslrootcert"), read("sslcert"), read("sslkey")];
  return {
    rejectUnauthorized: mode !== "require",
    verifyIdentity: mode === "verify-full",
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
