import { operatorEvent } from "../audit/audit-events.ts";
import type { Database } from "../databases/database.ts";
import type { ProviderType } from "./identity-links.ts";
import type { IdentityProvider, ProviderData } from "./identity-provider.ts";
import { ProviderEntries, type ProviderEntry } from "./provider-entries.ts";
import type { ProviderSealing } from "./provider-sealing.ts";

export interface PutProviderInput extends Pick<ProviderEntry, "name" | "defaultUserId" | "appNames"> {
  readonly provider: IdentityProvider;
  /** Whatever was given. */
  readonly data: unknown;
}

/** Registers a provider in a database, in the place of the entry of its type if there is one. 608 for additional data that are incomplete, 705 without a master key. */
export class PutProvider {
  constructor(private readonly sealing: ProviderSealing) {}

  async run(
    { storage }: Pick<Database, "storage">,
    { provider, data, ...entry }: PutProviderInput,
  ): Promise<ProviderData> {
    const accepted = provider.accept(data);
    const sealedData = this.sealing.sealData(accepted);
    const { type } = provider;
    await storage.transaction(async (r) => {
      await new ProviderEntries(r.records).put({ type, ...entry, sealedData });
      await r.audit.append(operatorEvent({ type: "provider.stored", providerName: type }));
    });
    return accepted;
  }
}

/** Takes the entry of a provider out of a database; `false` if there was none. Its links stay. */
export class RemoveProvider {
  run({ storage }: Pick<Database, "storage">, type: ProviderType): Promise<boolean> {
    return storage.transaction(async (r) => {
      const removed = await new ProviderEntries(r.records).remove(type);
      if (removed) await r.audit.append(operatorEvent({ type: "provider.removed", providerName: type }));
      return removed;
    });
  }
}
