import { sessionEvent } from "../audit/audit-events.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import { hasConfirmedFactor } from "../second-factors/has-confirmed-factor.ts";
import { ownLinks } from "./own-links.ts";
import { providerTypeOf } from "./provider-name.ts";

/**
 * Takes the caller's links to a provider away with their second factors, and ends the sessions that they opened. 698 for a name of no provider, 304
 * when there is none, 307 while one has a confirmed second factor: who binds the account anew would come back without it.
 */
export class RemoveOwnLinks {
  async run(context: SessionContext, providerName: string): Promise<void> {
    const type = providerTypeOf(providerName);
    if (type === null) throw new ServiceError(698, { detail: "There is no such provider." });
    const links = (await ownLinks(context)).filter(({ provider }) => provider === type);
    const removed = await context.unit.transaction(async (r) => {
      for (const { id } of links) {
        if (await hasConfirmedFactor(r, `link:${id}`))
          throw new ServiceError(307, { detail: "The link has a second factor; switch it off first." });
      }
      const gone = (await Promise.all(links.map(({ id }) => r.identityLinks.remove({ id })))).flat();
      for (const linkId of gone) {
        await r.sessions.end({ linkId });
        await r.secondFactors.remove(`link:${linkId}`, null);
        await r.audit.append(sessionEvent(context, { type: "link.removed", providerName: type }));
      }
      return gone.length;
    });
    if (removed === 0) throw new ServiceError(304);
  }
}
