/** A client application's right to speak to a database. The key itself is known to the client only. */
export interface AppKey {
  /** Short, opaque, unique in the database; the storage gives it. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The app names that a log-in with this key may use; `null` means all. */
  readonly appNames: readonly string[] | null;
  /** Web origins that may use the key from a browser, as browsers spell them (`https://app.example`), or with any port (`http://localhost:*`). */
  readonly origins: readonly string[];
  /** Addresses that a browser may return to after a log-in at a provider; see `isReturnAddress`. */
  readonly returnAddresses: readonly string[];
}

/** Stands for any port at the end of a listed origin. */
export const anyPort = ":*";

/** The entries of `AppKey.origins` that allow this origin: the origin itself, and its host with any port. */
export function listingsOf(origin: string): readonly string[] {
  // No browser sends an entry with `:*` as its origin.
  if (origin.endsWith(anyPort)) return [];
  const parts = /^([a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[^:/[\]]+))(?::\d{1,5})?$/.exec(origin);
  return parts === null ? [origin] : [origin, `${parts[1]}${anyPort}`];
}
