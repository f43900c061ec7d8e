import type { Digest } from "../digests/digest.ts";
import type { AppKey } from "./app-key.ts";

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
