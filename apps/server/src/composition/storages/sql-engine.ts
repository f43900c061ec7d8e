import type { Storage } from "@sallyport/core";
import type { PoolState } from "../../operations/metrics.ts";

/** Something that serves several storages, one per schema. */
export interface SqlEngine {
  /** Where it is, without secrets. */
  readonly name: string;
  /** `null` when there is nothing worth measuring. */
  readonly pool: (() => PoolState) | null;
  storage(schema: string): Storage;
  close(): Promise<void>;
}

/** Where a connection string leads, for messages. Nothing of it is secret. */
export interface ServerPlace {
  /** Host, or the directory of a socket. */
  readonly host: string;
  readonly port: string;
  /** Host and port. */
  readonly at: string;
  /** Empty when the connection string leaves it to the environment. */
  readonly role: string;
  readonly database: string;
}

/** Reads a connection string as the driver does; `null` if it is in a form that only the driver understands. */
export function serverPlace(url: string, usualPort: string): ServerPlace | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port: givenPort, username, pathname, searchParams } = new URL(url);
  const role = searchParams.get("user") ?? decoded(username);
  const host =
    (searchParams.get("host") ?? searchParams.get("socket") ?? decoded(hostname.replace(/^\[(.*)\]$/, "$1"))) ||
    "localhost";
  const port = searchParams.get("port") ?? (givenPort || usualPort);
  const at = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { host, port, at, role, database: decoded(pathname.slice(1)) || role };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
