import { operatorEvent } from "../audit/audit-events.ts";
import type { Database } from "../databases/database.ts";
import type { ProviderType } from "./identity-link.ts";

/** Takes the entry of a provider out of a database; `false` if there was none. Its links stay. */
export class RemoveProvider {
  run({ storage }: Pick<Database, "storage">, type: ProviderType): Promise<boolean> {
    return storage.transaction(async (r) => {
      const removed = await r.identityProviders.remove(type);
      if (removed) await r.audit.append(operatorEvent({ type: "provider.removed", providerName: type }));
      return removed;
    });
  }
}
