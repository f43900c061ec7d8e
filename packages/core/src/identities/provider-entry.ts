import type { ObjectId } from "../objects/object-id.ts";
import type { ProviderType } from "./identity-link.ts";

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
