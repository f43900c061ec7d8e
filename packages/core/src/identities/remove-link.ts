import { SecondFactors } from "../access/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AdministrationContext } from "../request/index.ts";
import { allParts, type IdentityLink, identityLinkKind, type Part, type StoredRecord } from "../storage/index.ts";

/** Removes a link with its second factors, ends the sessions that it opened, and answers the link. An unknown id: 304. */
export async function removeLink(
  { r: outside, unit, eventOf }: AdministrationContext,
  id: string,
): Promise<IdentityLink> {
  const links = await allParts(
    (part) => outside.records.list(identityLinkKind, part),
    (each) => each.id,
  );
  const found = links.find(({ value }) => value.id === id);
  if (found === undefined) throw noSuchLink();
  const { userId, provider: providerName } = found.value;
  await unit.transaction(async (r) => {
    if ((await r.records.remove(identityLinkKind, { ids: [found.id] })).length === 0) throw noSuchLink();
    await r.sessions.end({ linkId: found.id });
    await new SecondFactors(r.records).remove(`link:${id}`, null);
    await r.audit.append(eventOf({ type: "link.removed", subjectId: userId, providerName }));
  });
  return found.value;
}

function noSuchLink(): ServiceError {
  return new ServiceError(304, { detail: "There is no such link." });
}

export interface ListedLink {
  readonly link: StoredRecord<IdentityLink>;
  /** Log-in name of the user; empty where there is no account. */
  readonly user: string;
}

/** At most `limit` links in the order of the ids of their records. */
export async function listLinks({ r }: Pick<AdministrationContext, "r">, part: Part): Promise<ListedLink[]> {
  const links = await r.records.list(identityLinkKind, part);
  const names = new Map<string, string>();
  for (const userId of new Set(links.map(({ value }) => value.userId)))
    names.set(userId, (await r.accounts.find({ id: userId }, [])).account?.loginName ?? "");
  return links.map((link) => ({ link, user: names.get(link.value.userId) ?? "" }));
}
