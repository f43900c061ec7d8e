import { SecondFactors } from "../access/index.ts";
import { ServiceError } from "../errors/index.ts";
import { type SessionContext, sessionEvent } from "../request/index.ts";
import { type IdentityLink, identityLinkKind, linksOfUser, type StoredRecord } from "../storage/index.ts";
import { providerTypeOf } from "./identity-provider.ts";

/**
 * The links that are the caller's to see and to remove: all of his user if it is himself who works as that; only his own if he shares
 * the user with others; none if he has no account at a provider.
 */
async function ownLinks({
  r,
  principal,
  session: { entrance },
}: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
  if (entrance.kind === "custom") return [];
  const links = await linksOfUser(r.records, principal.userId);
  return entrance.kind === "provider" && entrance.link.value.shared
    ? links.filter(({ id }) => id === entrance.link.id)
    : links;
}

/** The accounts of providers that are bound to the caller. */
export class ListOwnLinks {
  run(context: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
    return ownLinks(context);
  }
}

/**
 * Takes the caller's links to a provider away with their second factors, and ends the sessions that they opened. 698 for a name of no provider, 304
 * when there is none, 307 while one has a confirmed second factor: who binds the account anew would come back without it.
 */
export class RemoveOwnLinks {
  async run(context: SessionContext, providerName: string): Promise<void> {
    const type = providerTypeOf(providerName);
    if (type === null) throw new ServiceError(698, { detail: "There is no such provider." });
    const links = (await ownLinks(context)).filter(({ value }) => value.provider === type);
    const removed = await context.unit.transaction(async (r) => {
      for (const { value } of links) {
        if (await new SecondFactors(r.records).hasConfirmed(`link:${value.id}`))
          throw new ServiceError(307, { detail: "The link has a second factor; switch it off first." });
      }
      const gone = await r.records.remove(identityLinkKind, { ids: links.map(({ id }) => id) });
      for (const { id, value } of links.filter((link) => gone.includes(link.id))) {
        await r.sessions.end({ linkId: id });
        await new SecondFactors(r.records).remove(`link:${value.id}`, null);
        await r.audit.append(sessionEvent(context, { type: "link.removed", providerName: type }));
      }
      return gone.length;
    });
    if (removed === 0) throw new ServiceError(304);
  }
}
