import { ServiceError } from "../errors/index.ts";
import type { Database } from "../request/index.ts";
import {
  type JsonValue,
  type ObjectId,
  type ProviderType,
  providerTypes,
  type RecordKind,
  type RecordRepository,
  type Repositories,
} from "../storage/index.ts";
import { type IdentityProvider, type ProviderData, providerTypeOf } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-state.ts";

export const providerEntryKind: RecordKind<ProviderEntry> = "identityProvider";

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
  readonly appNames: readonly string[];
}

export interface RegisteredProvider {
  readonly provider: IdentityProvider;
  readonly entry: ProviderEntry;
  readonly data: ProviderData;
  readonly redirectUri: string;
}

/** The providers that this server logs in with, as databases know them. */
export class RegisteredProviders {
  /** Additional data as they were sealed and are, by database and type: what is sealed anew, also as it was, is another text. */
  private readonly opened = new Map<string, { readonly sealed: string; readonly data: JsonValue }>();

  constructor(
    /** Those that are switched on. */
    private readonly providers: ReadonlyMap<ProviderType, IdentityProvider>,
    private readonly sealing: ProviderSealing,
    private readonly addresses: CallbackAddresses,
  ) {}

  /** By a name in any case. 698 if it is unknown, not switched on or not registered; 608 if its additional data are of no use. */
  async find(name: string, { alias }: Database, r: Pick<Repositories, "records">): Promise<RegisteredProvider> {
    const type = providerTypeOf(name);
    const provider = type === null ? undefined : this.providers.get(type);
    if (provider === undefined)
      throw new ServiceError(698, {
        detail: type === null ? "There is no such provider." : `The provider ${type} is not switched on.`,
      });
    const entry = await new ProviderEntries(r.records).find(provider.type);
    if (entry === null)
      throw new ServiceError(698, { detail: `The provider ${provider.type} is not registered in the database.` });
    const data = provider.accept(this.openedData(alias, entry));
    return { provider, entry, data, redirectUri: this.addresses.of(alias, provider.type, data) };
  }

  private openedData(alias: string, { type, sealedData }: ProviderEntry): JsonValue {
    const place = `${type} ${alias}`;
    const known = this.opened.get(place);
    if (known?.sealed === sealedData) return known.data;
    const data = this.sealing.openData(sealedData);
    this.opened.set(place, { sealed: sealedData, data });
    return data;
  }
}

/** Where providers send browsers back to. No word of a request has a part in it. */
export class CallbackAddresses {
  /** @param publicUrl Address under which clients reach the server, with the base path; `null`: known for providers only that bring their own. */
  constructor(private publicUrl: string | null) {}

  /** Tells the address of a server that was configured without one. */
  listening(url: string): void {
    this.publicUrl ??= url;
  }

  /** The exact address for a provider and a database; 608 if there is none. */
  of(alias: string, type: ProviderType, { serverAddress }: ProviderData): string {
    const base = type === "apple" ? serverAddress : this.publicUrl;
    if (base === undefined || base === null)
      throw new ServiceError(608, {
        detail: "The address that the provider is to send browsers back to is not known.",
      });
    return [base.replace(/\/+$/, ""), ...(alias === "" ? [] : [alias]), "v1", type, "callback"].join("/");
  }

  /** The same; `null` if there is none. */
  known(alias: string, type: ProviderType, data: ProviderData): string | null {
    try {
      return this.of(alias, type, data);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 608) return null;
      throw error;
    }
  }
}
