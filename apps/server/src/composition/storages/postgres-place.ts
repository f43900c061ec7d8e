/** Where a connection string leads, for messages. Nothing of it is secret. */
export interface PostgresPlace {
  /** Host, or the directory of a socket. */
  readonly host: string;
  readonly port: string;
  /** Empty when the connection string leaves it to the environment. */
  readonly role: string;
  readonly database: string;
}

/** Reads a connection string as the driver does; `null` if it is in a form that only the driver understands. */
export function postgresPlace(url: string): PostgresPlace | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const role = searchParams.get("user") ?? decoded(username);
  const host = searchParams.get("host") ?? decoded(hostname.replace(/^\[(.*)\]$/, "$1"));
  return {
    host: host || "localhost",
    port: searchParams.get("port") ?? (port || "5432"),
    role,
    database: decoded(pathname.slice(1)) || role,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
