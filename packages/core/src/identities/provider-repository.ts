import type { ObjectId } from "../objects/object-id.ts";
import type { ProviderType } from "./identity-link-repository.ts";

/** Port: the providers registered in a database. */
export interface ProviderRepository {
  find(type: ProviderType): Promise<ProviderEntry | null>;

  /** Registers it, in the place of the entry of the same type if there is one. A text that is not storable: 307. */
  put(entry: ProviderEntry): Promise<void>;

  /** `false` if there was none. Links stay, and are good for nothing until it is registered again. */
  remove(type: ProviderType): Promise<boolean>;

  /** All, by type. */
  list(): Promise<ProviderEntry[]>;
}

/** What an administrator has registered for a provider in one database. There is one entry for a type at most. */
export interface ProviderEntry {
  readonly type: ProviderType;
  /** For people. */
  readonly name: string;
  /** JSON text with `clientId` and so on, sealed under the master key, as it holds secrets. */
  readonly sealedData: string;
  /** New external users are bound to this user; `null`: they have to bind one themselves. */
  readonly defaultUserId: ObjectId | null;
  /** The app names of log-ins that name none. */
  readonly appNames: readonly string[];
}
