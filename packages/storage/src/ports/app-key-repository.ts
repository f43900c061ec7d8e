import type { Digest } from "../digests/index.ts";

/** An app key to create. `returnAddresses` defaults to none. */
export type NewAppKey = Pick<AppKey, "name" | "appNames" | "origins"> & Partial<Pick<AppKey, "returnAddresses">>;

/** Port: the app keys of one database. Admission, not this port, checks the key of a request. */
export interface AppKeyRepository {
  /** Creates an enabled app key. `nameTaken` if the name or the digest exists. 307 for a text that is not storable. */
  create(appKey: NewAppKey, digest: Digest): Promise<"created" | "nameTaken">;

  /** Enables or disables a key; `false` if no key has the name. Takes effect with the next request. */
  setEnabled(name: string, enabled: boolean): Promise<boolean>;

  /** Removes a key; `false` if no key has the name. Its sessions are unknown from the next request. */
  remove(name: string): Promise<boolean>;

  /** Whether any enabled key lists this web origin. Compared exactly. */
  listsOrigin(origin: string): Promise<boolean>;

  /**
   * Returns at most `limit` app keys after a name, or from the first (`null`), ordered by the code points of the name.
   * Disabled keys are included.
   */
  list(after: string | null, limit: number): Promise<AppKey[]>;
}

/** Permission of a client application to use a database. Only the client knows the key itself. */
export interface AppKey {
  /** Short and opaque. Unique in the database. Assigned by storage. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** App names allowed in a log-in with this key; `null` allows all. */
  readonly appNames: readonly string[] | null;
  /** Web origins that may use the key from a browser, in serialized form (`https://app.example`) or with any port (`http://localhost:*`). */
  readonly origins: readonly string[];
  /** Addresses allowed as the return target of a log-in at a provider; see `isReturnAddress`. */
  readonly returnAddresses: readonly string[];
}

/** Suffix of a listed origin that allows any port. */
export const anyPort = ":*";

/** The entries of `AppKey.origins` that match this origin: the origin itself, and its host with any port. */
export function listingsOf(origin: string): readonly string[] {
  // Browsers never send `:*` as a port.
  if (origin.endsWith(anyPort)) return [];
  const parts = /^([a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[^:/[\]]+))(?::\d{1,5})?$/.exec(origin);
  return parts === null ? [origin] : [origin, `${parts[1]}${anyPort}`];
}
