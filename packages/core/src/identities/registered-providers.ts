import { ServiceError } from "../errors/service-error.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { Database } from "../databases/database.ts";
import type { JsonValue } from "../objects/stored-object.ts";
import type { CallbackAddresses } from "./callback-addresses.ts";
import type { ProviderType } from "./identity-link.ts";
import type { IdentityProvider, ProviderData } from "./identity-provider.ts";
import type { ProviderEntry } from "./provider-entry.ts";
import { providerTypeOf } from "./provider-name.ts";
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
  async find(
    name: string,
    { alias }: Database,
    r: Pick<Repositories, "identityProviders">,
  ): Promise<RegisteredProvider> {
    const type = providerTypeOf(name);
    const provider = type === null ? undefined : this.providers.get(type);
    if (provider === undefined)
      throw new ServiceError(698, {
        detail: type === null ? "There is no such provider." : `The provider ${type} is not switched on.`,
      });
    const entry = await r.identityProviders.find(provider.type);
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
