import type { ProviderType } from "./identity-link.ts";
import type { ProviderEntry } from "./provider-entry.ts";

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
