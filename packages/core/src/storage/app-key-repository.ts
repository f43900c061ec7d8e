import type { Digest } from "../digests/index.ts";

/** An app key to create; without return addresses it has none. */
export type NewAppKey = Pick<AppKey, "name" | "appNames" | "origins"> & Partial<Pick<AppKey, "returnAddresses">>;

/** Port: the app keys of one database. Requests are checked by admission, not here. */
export interface AppKeyRepository {
  /** Creates an enabled app key. `nameTaken` when the name or the digest exists. A text that is not storable: 307. */
  create(appKey: NewAppKey, digest: Digest): Promise<"created" | "nameTaken">;

  /** Switches a key on or off; `false` if no key has the name. The next request already sees it. */
  setEnabled(name: string, enabled: boolean): Promise<boolean>;

  /** Whether any enabled key lists this web origin, compared exactly. */
  listsOrigin(origin: string): Promise<boolean>;

  /**
   * At most `limit` of them, disabled ones included, in the order of their names by code points: from the first
   * (`null`), or those after a name.
   */
  list(after: string | null, limit: number): Promise<AppKey[]>;
}

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
