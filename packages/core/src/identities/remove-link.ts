import { operatorEvent } from "../audit/audit-events.ts";
import type { Database } from "../databases/database.ts";
import { identityLinkKind, type IdentityLinkRecord } from "./identity-links.ts";
import { SecondFactors } from "../second-factors/second-factors.ts";

/** Takes somebody's link away with its second factors, and ends the sessions that it opened; `false` if it is gone already. For administrators. */
export class RemoveLink {
  run(
    { storage }: Pick<Database, "storage">,
    { id, value: link }: Pick<IdentityLinkRecord, "id" | "value">,
  ): Promise<boolean> {
    return storage.transaction(async (r) => {
      const removed = (await r.records.remove(identityLinkKind, { ids: [id] })).length > 0;
      if (!removed) return false;
      await r.sessions.end({ linkId: id });
      await new SecondFactors(r.records).remove(`link:${link.id}`, null);
      const { userId, provider: providerName } = link;
      await r.audit.append(operatorEvent({ type: "link.removed", userId, providerName }));
      return true;
    });
  }
}
