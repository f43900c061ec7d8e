import {
  type JsonValue,
  type ObjectId,
  type ProviderType,
  providerTypes,
  type RecordKind,
  type RecordRepository,
  type Repositories,
  ServiceError,
  type RecordQuota,
} from "@sallyport/storage";
import { NetworkSemaphore } from "../capacity/index.ts";
import type { Database } from "../request/index.ts";
import { type IdentityProvider, type ProviderData, providerTypeOf } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-state.ts";
import type { LogInServices } from "../access/index.ts";

export const providerEntryKind: RecordKind<ProviderEntry> = "identityProvider";

export class ProviderEntries {
  constructor(private readonly records: RecordRepository) {}

  async find(type: ProviderType): Promise<ProviderEntry | null> {
    return (await this.records.get(providerEntryKind, [type]))[0]?.value ?? null;
  }

  /** Stores the entry and replaces one of the same type. Text that cannot be stored: 307. */
  async put(entry: ProviderEntry): Promise<void> {
    await this.records.put(providerEntryKind, entry.type, entry);
  }

  /** Returns `false` if there was none. Links stay, but cannot be used until the provider is registered again. */
  async remove(type: ProviderType): Promise<boolean> {
    return (await this.records.remove(providerEntryKind, { ids: [type] })).length > 0;
  }

  /** Lists all entries by type. */
  async list(): Promise<ProviderEntry[]> {
    const entries = await this.records.list(providerEntryKind, { after: null, limit: providerTypes.length });
    return entries.map(({ value }) => value);
  }
}

/** An administrator's registration of a provider in one database. At most one per type. */
export interface ProviderEntry {
  readonly type: ProviderType;
  /** Display name. */
  readonly name: string;
  /** JSON with `clientId` and other settings. Contains secrets, so it is sealed under the master key. */
  readonly sealedData: string;
  /** New external users are linked to this user. `null`: they must link an account themselves. */
  readonly defaultUserId: ObjectId | null;
  readonly appNames: readonly string[];
}

export interface RegisteredProvider {
  readonly provider: IdentityProvider;
  readonly entry: ProviderEntry;
  readonly data: ProviderData;
  readonly redirectUri: string;
}

/** Calls of providers for one network at once. An adapter has fewer connections than it can queue calls. */
const callsPerNetwork = 16;

/** The enabled providers of the server and their registrations in the databases. */
export class RegisteredProviders {
  /** Calls of providers to finish log-ins. */
  readonly calls = new NetworkSemaphore(callsPerNetwork, "Too many provider log-ins of this network finish.");
  /** Decrypted additional data by type and database. A changed sealed text invalidates the entry. */
  private readonly opened = new Map<string, { readonly sealed: string; readonly data: JsonValue }>();

  constructor(
    private readonly providers: ReadonlyMap<ProviderType, IdentityProvider>,
    private readonly sealing: ProviderSealing,
    private readonly addresses: CallbackAddresses,
  ) {}

  /** Finds a provider by name, in any case. Unknown, disabled or unregistered: 698. Unusable additional data: 608. */
  async find(name: string, { alias }: Database, r: Pick<Repositories, "records">): Promise<RegisteredProvider> {
    const type = providerTypeOf(name);
    const provider = type === null ? undefined : this.providers.get(type);
    if (provider === undefined)
      throw new ServiceError(698, {
        detail: type === null ? "There is no provider with this name." : `The provider ${type} is not enabled.`,
      });
    const entry = await new ProviderEntries(r.records).find(provider.type);
    if (entry === null)
      throw new ServiceError(698, { detail: `The provider ${provider.type} is not registered in this database.` });
    const data = provider.accept(this.openedData(alias, entry));
    return { provider, entry, data, redirectUri: this.addresses.of(alias, provider.type, data) };
  }

  private openedData(alias: string, { type, sealedData }: ProviderEntry): JsonValue {
    const place = `${type} ${alias}`;
    const cached = this.opened.get(place);
    if (cached?.sealed === sealedData) return cached.data;
    const data = this.sealing.openData(sealedData);
    this.opened.set(place, { sealed: sealedData, data });
    return data;
  }
}

/** Callback addresses. They never depend on request data. */
export class CallbackAddresses {
  /** @param publicUrl public server address with the base path; `null`: known only for providers with their own address */
  constructor(private publicUrl: string | null) {}

  /** Sets the address if none is configured. */
  listening(url: string): void {
    this.publicUrl ??= url;
  }

  /** Returns the exact callback address for a provider and a database. Throws 608 if it is unknown. */
  of(alias: string, type: ProviderType, data: ProviderData): string {
    const address = this.find(alias, type, data);
    if (address === null)
      throw new ServiceError(608, { detail: "The callback URL is unknown: server.publicUrl is not set." });
    return address;
  }

  /** Returns the callback address, or `null` if it is unknown. */
  find(alias: string, type: ProviderType, { serverAddress }: ProviderData): string | null {
    const base = (type === "apple" ? serverAddress : this.publicUrl) ?? null;
    if (base === null) return null;
    return [base.replace(/\/+$/, ""), ...(alias === "" ? [] : [alias]), "v1", type, "callback"].join("/");
  }
}

/** Services of log-ins with providers. */
export interface ProviderServices extends LogInServices, PendingLogInServices {}

/** Services of a log-in until its provider has proven the user. */
export interface PendingLogInServices extends Pick<LogInServices, "random"> {
  readonly registeredProviders: RegisteredProviders;
  readonly providerSealing: ProviderSealing;
  readonly settings: {
    /** Maximum number of pending log-ins, at a provider or returned with a code that is not exchanged yet. */
    readonly pendingProviderLogIns: RecordQuota;
  };
}
