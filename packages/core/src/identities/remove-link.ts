import { operatorEvent } from "../audit/audit-events.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { AdministrationContext } from "../request/request-context.ts";
import { SecondFactors } from "../second-factors/second-factors.ts";
import { allParts, type Part } from "../storage/all-parts.ts";
import type { IdentityLink } from "./identity-link-repository.ts";

/** Takes somebody's link away with its second factors, and ends the sessions that it opened; the link that it was. An unknown id: 304. */
export async function removeLink({ r: outside, unit }: AdministrationContext, id: string): Promise<IdentityLink> {
  const links = await allParts(
    ({ after, limit }) => outside.identityLinks.list(after, limit),
    (each) => each.id,
  );
  const link = links.find((each) => each.id === id);
  if (link === undefined) throw noSuchLink();
  const { userId, provider: providerName } = link;
  await unit.transaction(async (r) => {
    if ((await r.identityLinks.remove({ id })).length === 0) throw noSuchLink();
    await r.sessions.end({ linkId: id });
    await new SecondFactors(r.records).remove(`link:${id}`, null);
    await r.audit.append(operatorEvent({ type: "link.removed", userId, providerName }));
  });
  return link;
}

function noSuchLink(): ServiceError {
  return new ServiceError(304, { detail: "There is no such link." });
}

export interface ListedLink extends IdentityLink {
  /** Log-in name of the user; empty where there is no account. */
  readonly user: string;
}

/** At most `limit` links in the order of their ids. */
export async function listLinks(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit }: Part,
): Promise<ListedLink[]> {
  const links = await r.identityLinks.list(after, limit);
  const names = new Map<string, string>();
  for (const userId of new Set(links.map((link) => link.userId)))
    names.set(userId, (await r.accounts.byUser(userId, [])).account?.loginName ?? "");
  return links.map((link) => ({ ...link, user: names.get(link.userId) ?? "" }));
}
