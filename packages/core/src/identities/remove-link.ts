import { operatorEvent } from "../audit/audit-events.ts";
import type { Database } from "../databases/database.ts";
import type { IdentityLink } from "./identity-link-repository.ts";
import { SecondFactors } from "../second-factors/second-factors.ts";

/** Takes somebody's link away with its second factors, and ends the sessions that it opened; `false` if it is gone already. For administrators. */
export class RemoveLink {
  run(
    { storage }: Pick<Database, "storage">,
    { id, userId, provider }: Pick<IdentityLink, "id" | "userId" | "provider">,
  ): Promise<boolean> {
    return storage.transaction(async (r) => {
      const removed = (await r.identityLinks.remove({ id })).length > 0;
      if (!removed) return false;
      await r.sessions.end({ linkId: id });
      await new SecondFactors(r.records).remove(`link:${id}`, null);
      await r.audit.append(operatorEvent({ type: "link.removed", userId, providerName: provider }));
      return true;
    });
  }
}
