import type { Fetch } from "./transport/transport.ts";

/** What a client needs to know. */
export interface ClientOptions {
  /** Address of the server, with the prefix it is mounted under if there is one. */
  readonly baseUrl: string;
  /** Alias of the database; the database with the empty alias unless given. */
  readonly alias?: string | undefined;
  readonly appKey: string;
  /** Sends the requests instead of the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds for each call that does not bring its own limit; 30,000 unless given, 0 for none. */
  readonly timeout?: number | undefined;
  /**
   * Whether to log in anew when a session is over, once for all calls that notice it. Unless it is `false`, the client
   * remembers the credentials until the log-out.
   */
  readonly renew?: boolean | undefined;
}
