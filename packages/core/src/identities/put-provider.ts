import { requireApplications } from "../access/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AdministrationContext } from "../request/index.ts";
import type { ProviderType } from "../storage/index.ts";
import type { IdentityProvider, ProviderData } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-state.ts";
import { type CallbackAddresses, ProviderEntries, type ProviderEntry } from "./registered-providers.ts";

export interface PutProviderInput extends Pick<ProviderEntry, "name" | "defaultUserId" | "appNames"> {
  readonly provider: IdentityProvider;
  /** Whatever was given. */
  readonly data: unknown;
}

const longestName = 255;

/**
 * Registers a provider in a database, in the place of the entry of its type if there is one. 208 for app names that the database does not
 * know, 307 for a name that is blank or too long, 608 for additional data that are incomplete, 705 without a master key.
 */
export class PutProvider {
  constructor(private readonly sealing: ProviderSealing) {}

  async putProvider(
    { r: outside, unit, eventOf }: Pick<AdministrationContext, "r" | "unit" | "eventOf">,
    { provider, data, ...entry }: PutProviderInput,
  ): Promise<ProviderData> {
    if (entry.name.trim() === "" || entry.name.length > longestName)
      throw new ServiceError(307, { detail: "The name has 1 to 255 characters." });
    await requireApplications(outside, entry.appNames);
    const accepted = provider.accept(data);
    const sealedData = this.sealing.seal("data", accepted);
    const { type } = provider;
    await unit.transaction(async (r) => {
      await new ProviderEntries(r.records).put({ type, ...entry, sealedData });
      await r.audit.append(eventOf({ type: "provider.stored", providerName: type }));
    });
    return accepted;
  }
}

/** Takes the entry of a provider out of a database; its links stay. 304 if there is none. */
export async function removeProvider({ unit, eventOf }: AdministrationContext, type: ProviderType): Promise<void> {
  await unit.transaction(async (r) => {
    if (!(await new ProviderEntries(r.records).remove(type)))
      throw new ServiceError(304, { detail: `The provider ${type} is not registered.` });
    await r.audit.append(eventOf({ type: "provider.removed", providerName: type }));
  });
}

export interface ListedProvider extends Omit<ProviderEntry, "sealedData" | "defaultUserId"> {
  readonly switchedOn: boolean;
  /** Login name; `null` if there is none, or the user is gone. */
  readonly defaultUser: string | null;
  /** The additional data by name, with `***` in the place of each secret; empty where they cannot be read. */
  readonly data: Readonly<Record<string, string>>;
  /** What is wrong with them; `null` for nothing. */
  readonly fault: string | null;
  /** The exact callback address; `null` while it is not known. */
  readonly callback: string | null;
}

export class ListProviders {
  constructor(
    private readonly known: ReadonlyMap<ProviderType, IdentityProvider>,
    private readonly sealing: ProviderSealing,
    private readonly addresses: CallbackAddresses,
    private readonly switchedOn: readonly ProviderType[],
  ) {}

  /** All, by type. */
  async listProviders(context: AdministrationContext): Promise<ListedProvider[]> {
    const entries = await new ProviderEntries(context.r.records).list();
    return Promise.all(entries.map((entry) => this.listed(context, entry)));
  }

  /** One; 304 if it is not registered. */
  async findProvider(context: AdministrationContext, type: ProviderType): Promise<ListedProvider> {
    const entry = await new ProviderEntries(context.r.records).find(type);
    if (entry === null) throw new ServiceError(304, { detail: `The provider ${type} is not registered.` });
    return this.listed(context, entry);
  }

  private async listed(
    { database, r }: AdministrationContext,
    { type, name, appNames, sealedData, defaultUserId }: ProviderEntry,
  ): Promise<ListedProvider> {
    const account = defaultUserId === null ? null : (await r.accounts.find({ id: defaultUserId }, [])).account;
    const { data, fault } = this.opened(type, sealedData);
    return {
      type,
      name,
      appNames,
      switchedOn: this.switchedOn.includes(type),
      defaultUser: account?.loginName ?? null,
      data: Object.fromEntries(
        Object.entries(data).map(([member, value]) => [member, /secret/i.test(member) ? "***" : value]),
      ),
      fault,
      callback: fault === null ? this.addresses.known(database.alias, type, data) : null,
    };
  }

  private opened(type: ProviderType, sealed: string): { readonly data: ProviderData; readonly fault: string | null } {
    try {
      return { data: this.known.get(type)?.accept(this.sealing.openData(sealed)) ?? {}, fault: null };
    } catch (error) {
      if (error instanceof ServiceError) return { data: {}, fault: error.detail ?? error.message };
      throw error;
    }
  }
}
