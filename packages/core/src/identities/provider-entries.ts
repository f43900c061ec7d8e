import {
  type ObjectId,
  type ProviderType,
  providerTypes,
  type RecordKind,
  type RecordRepository,
} from "../storage/index.ts";

/** Registered providers, by type. */
export const providerEntryKind: RecordKind<ProviderEntry> = "identityProvider";

/** The providers registered in a database. */
export class ProviderEntries {
  constructor(private readonly records: RecordRepository) {}

  async find(type: ProviderType): Promise<ProviderEntry | null> {
    return (await this.records.get(providerEntryKind, [type]))[0]?.value ?? null;
  }

  /** Registers it, in the place of the entry of the same type if there is one. A text that is not storable: 307. */
  async put(entry: ProviderEntry): Promise<void> {
    await this.records.put(providerEntryKind, entry.type, entry);
  }

  /** `false` if there was none. Links stay, and are good for nothing until it is registered again. */
  async remove(type: ProviderType): Promise<boolean> {
    return (await this.records.remove(providerEntryKind, { ids: [type] })).length > 0;
  }

  /** All, by type. */
  async list(): Promise<ProviderEntry[]> {
    const entries = await this.records.list(providerEntryKind, { after: null, limit: providerTypes.length });
    return entries.map(({ value }) => value);
  }
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
