import type { SessionContext } from "../request/request-context.ts";
import type { IdentityLink } from "./identity-link.ts";

/**
 * The links that are the caller's to see and to remove: all of his user if it is himself who works as that; only his own if he shares
 * the user with others; none if he has no account at a provider.
 */
export async function ownLinks({ r, principal, session: { entrance } }: SessionContext): Promise<IdentityLink[]> {
  if (entrance.kind === "custom") return [];
  const links = await r.identityLinks.ofUser(principal.userId);
  return entrance.kind === "provider" && entrance.shared ? links.filter(({ id }) => id === entrance.linkId) : links;
}
