import type { Fetch } from "@sallyport/client";

/** Port: the servers that devices synchronize with, and their database. The simulator stores its own classes in it. */
export interface World {
  /** Address of the first server, without a trailing slash. */
  readonly baseUrl: string;
  /** Alias of the database. Default: the empty alias. */
  readonly alias?: string;
  /** An app key of scope `admin`. */
  readonly adminKey: string;
  readonly administrator: { readonly user: string; readonly password: string };
  /** Sends a request for `baseUrl` to a server. One function for each server. */
  readonly servers: readonly Fetch[];
  /** Ends a server at once, without finishing its requests, and starts it again. Without it, servers are never ended. */
  kill?(server: number): Promise<void>;
  /** Copies the database. */
  backUp?(): Promise<void>;
  /** Replaces the database by its last copy. Without both, it is never restored. */
  restore?(): Promise<void>;
  close?(): Promise<void>;
}

export interface WorldAddress {
  /** Addresses of servers on the same database. */
  readonly urls: readonly string[];
  readonly alias?: string;
  readonly adminKey: string;
  readonly user: string;
  readonly password: string;
}

/** Running servers, which are neither ended nor restored. Throws a `TypeError` for an invalid address. */
export function worldAt({ urls, adminKey, user, password, alias = "" }: WorldAddress): World {
  const origins = urls.map((url) => new URL(url).href.replace(/\/$/, ""));
  const [baseUrl] = origins;
  if (baseUrl === undefined) throw new TypeError("At least one address is required.");
  return {
    baseUrl,
    alias,
    adminKey,
    administrator: { user, password },
    servers: origins.map(
      (origin): Fetch =>
        (input, init) =>
          fetch(String(input).replace(baseUrl, origin), init),
    ),
  };
}
