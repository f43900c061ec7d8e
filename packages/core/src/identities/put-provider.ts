import { requireApplications } from "../access/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AdministrationContext } from "../request/index.ts";
import type { ProviderType } from "../storage/index.ts";
import type { IdentityProvider, ProviderData } from "./identity-provider.ts";
import type { ProviderSealing } from "./provider-state.ts";
import { ProviderEntries, type ProviderEntry } from "./registered-providers.ts";

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

  async run(
    { r: outside, unit, eventOf }: Pick<AdministrationContext, "r" | "unit" | "eventOf">,
    { provider, data, ...entry }: PutProviderInput,
  ): Promise<ProviderData> {
    if (entry.name.trim() === "" || entry.name.length > longestName)
      throw new ServiceError(307, { detail: "The name has 1 to 255 characters." });
    await requireApplications(outside, entry.appNames);
    const accepted = provider.accept(data);
    const sealedData = this.sealing.sealData(accepted);
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
