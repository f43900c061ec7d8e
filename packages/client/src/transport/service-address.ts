import { jsonText } from "../json.ts";

/** Query parameters. `undefined` omits one, an object becomes JSON. */
export type QueryValues = Readonly<Record<string, string | number | boolean | object | undefined>>;

const aliasPattern = /^[a-z][a-z0-9_-]{0,62}$/;
const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The URL of a database. */
export class ServiceAddress {
  readonly #base: string;
  /** Whether the connection is protected from tampering: TLS or loopback. */
  readonly isProtected: boolean;

  /** Throws a `TypeError` for an invalid base URL or alias. */
  constructor(baseUrl: string, alias: string) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (
      url === undefined ||
      !/^https?:$/.test(url.protocol) ||
      url.username ||
      url.password ||
      url.search ||
      url.hash
    ) {
      throw new TypeError("`baseUrl` must be an http or https address without credentials, query and fragment.");
    }
    if (alias !== "" && !aliasPattern.test(alias)) throw new TypeError("`alias` is not a valid alias.");
    this.isProtected = url.protocol === "https:" || loopback.test(url.hostname);
    this.#base = url.href.replace(/\/+$/, "") + (alias && `/${alias}`);
  }

  /** The full URL of a path below the alias. */
  of(path: string, query?: QueryValues): string {
    return this.#base + withQuery(path, query);
  }
}

/** Adds a query string to a path. Throws a `TypeError` for an invalid path. */
export function withQuery(path: string, query: QueryValues = {}): string {
  if (!path.startsWith("/") || /[?#]/.test(path))
    throw new TypeError("A path must start with a slash and must not contain a query string.");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, typeof value === "object" ? jsonText(value) : String(value));
  }
  return path + (parameters.size > 0 ? `?${parameters}` : "");
}
