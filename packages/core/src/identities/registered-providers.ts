import { ServiceError } from "../errors/index.ts";
import type { Database } from "../request/index.ts";
import type { JsonValue, ProviderType, Repositories } from "../storage/index.ts";
import { type IdentityProvider, type ProviderData, providerTypeOf } from "./identity-provider.ts";
import { ProviderEntries, type ProviderEntry } from "./provider-entries.ts";
import type { ProviderSealing } from "./provider-sealing.ts";

/** A provider that is switched on and registered in a database. */
export interface RegisteredProvider {
  readonly provider: IdentityProvider;
  readonly entry: ProviderEntry;
  readonly data: ProviderData;
  /** The exact callback address. */
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
