import { SecondFactors } from "../access/index.ts";
import {
  allPages,
  type Digests,
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  linksOfUser,
  type PageRequest,
  type ProviderIdentity,
  type RecordKind,
  type Repositories,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import {
  type AdministrationContext,
  type AppKeyContext,
  appKeyEvent,
  type SessionContext,
  sessionEvent,
} from "../request/index.ts";
import { providerTypeOf } from "./identity-provider.ts";

/** Creates a link and audits it. Returns `false`, without any change, if the identity is already linked. */
export async function createLink(
  context: AppKeyContext,
  r: Pick<Repositories, "audit" | "records">,
  link: IdentityLink,
  { appNames, digests }: { readonly appNames: readonly string[]; readonly digests: Digests },
): Promise<boolean> {
  const { userId, provider: providerName } = link;
  const options = { owner: linkOwner(userId), ifVersion: "none" } as const;
  if ((await r.records.put(identityLinkKind, identityLinkId(link, digests), link, options)) !== "stored") return false;
  await r.audit.append(appKeyEvent(context, { type: "link.created", outcome: 0, userId, appNames, providerName }));
  return true;
}

/** Removes control characters from a provider's text and limits its length. `null` if nothing is left. */
export function printableText(text: string): string | null {
  const printable = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "").trim();
  return printable === "" ? null : Array.from(printable).slice(0, 255).join("");
}

/** Unlinked identities by the SHA-256 of their `dfUuid`. */
export const assignableIdentities: RecordKind<AssignableIdentity> = "accountLink";

/** Time to link an identity after the callback, in milliseconds. */
export const assignableLifetime = 900_000;

export type AssignableIdentity = ProviderIdentity &
  Pick<IdentityLink, "provider" | "email" | "displayName"> & {
    /** Only this app key can link the identity. */
    readonly appKeyId: string;
  };

/** A concurrent request has linked the identity. The work for it is rolled back. */
export class IdentityAlreadyLinkedError extends Error {
  override readonly name = "IdentityAlreadyLinkedError";
}

/** Removes a link and its second factors, and ends its sessions. Returns the link. Unknown id: 304. */
export async function removeLink(
  { r: outside, unit, eventOf }: AdministrationContext,
  id: string,
): Promise<IdentityLink> {
  const links = await allPages(
    (page) => outside.records.list(identityLinkKind, page),
    (each) => each.id,
  );
  const link = links.find(({ value }) => value.id === id);
  if (link === undefined) throw noSuchLink();
  const { userId, provider: providerName } = link.value;
  await unit.transaction(async (r) => {
    if ((await r.records.remove(identityLinkKind, { ids: [link.id] })).length === 0) throw noSuchLink();
    await r.sessions.end({ linkId: link.id });
    await new SecondFactors(r.records).remove(`link:${id}`, null);
    await r.audit.append(eventOf({ type: "link.removed", subjectId: userId, providerName }));
  });
  return link.value;
}

function noSuchLink(): ServiceError {
  return new ServiceError(304, { detail: "There is no linked account with this id." });
}

export interface ListedLink {
  readonly link: StoredRecord<IdentityLink>;
  /** Log-in name of the user. Empty if there is no account. */
  readonly user: string;
}

/** Lists at most `limit` links in the order of their record ids. */
export async function listLinks({ r }: Pick<AdministrationContext, "r">, page: PageRequest): Promise<ListedLink[]> {
  const links = await r.records.list(identityLinkKind, page);
  const names = new Map<string, string>();
  for (const userId of new Set(links.map(({ value }) => value.userId)))
    names.set(userId, (await r.accounts.find({ id: userId }, [])).account?.loginName ?? "");
  return links.map((link) => ({ link, user: names.get(link.value.userId) ?? "" }));
}

/** Returns the caller's links: all of an unshared user, only the used one of a shared user, none of a custom account. */
async function ownLinks({ r, principal, session }: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
  const { authenticationMethod } = session;
  if (authenticationMethod.kind === "custom") return [];
  const links = await linksOfUser(r.records, principal.userId);
  return authenticationMethod.kind === "provider" && authenticationMethod.link.value.shared
    ? links.filter(({ id }) => id === authenticationMethod.link.id)
    : links;
}

export function listOwnLinks(context: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
  return ownLinks(context);
}

/**
 * Removes the caller's links to a provider with their second factors, and ends their sessions. Unknown provider name:
 * 698. No link: 304. Link with a confirmed second factor: 307, as a new link would bypass the factor.
 */
export async function removeOwnLinks(context: SessionContext, providerName: string): Promise<void> {
  const type = providerTypeOf(providerName);
  if (type === null) throw new ServiceError(698, { detail: "There is no provider with this name." });
  const links = (await ownLinks(context)).filter(({ value }) => value.provider === type);
  const removed = await context.unit.transaction(async (r) => {
    for (const { value } of links) {
      if (await new SecondFactors(r.records).hasConfirmed(`link:${value.id}`))
        throw new ServiceError(307, { detail: "The linked account has a second factor. Disable it first." });
    }
    const removedIds = await r.records.remove(identityLinkKind, { ids: links.map(({ id }) => id) });
    for (const { id, value } of links.filter((link) => removedIds.includes(link.id))) {
      await r.sessions.end({ linkId: id });
      await new SecondFactors(r.records).remove(`link:${value.id}`, null);
      await r.audit.append(sessionEvent(context, { type: "link.removed", providerName: type }));
    }
    return removedIds.length;
  });
  if (removed === 0) throw new ServiceError(304);
}
