import { SecondFactors } from "../access/index.ts";
import type { Digests } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import {
  type AdministrationContext,
  type AppKeyContext,
  logInEvent,
  type SessionContext,
  sessionEvent,
} from "../request/index.ts";
import {
  allParts,
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  linksOfUser,
  type Part,
  type ProviderIdentity,
  type RecordKind,
  type Repositories,
  type StoredRecord,
} from "../storage/index.ts";
import { providerTypeOf } from "./identity-provider.ts";

/** Binds an identity, and tells the audit; `false`, and nothing is done, if it is bound already. */
export async function createLink(
  context: AppKeyContext,
  r: Pick<Repositories, "audit" | "records">,
  link: IdentityLink,
  { appNames, digests }: { readonly appNames: readonly string[]; readonly digests: Digests },
): Promise<boolean> {
  const { userId, provider: providerName } = link;
  const options = { owner: linkOwner(userId), ifVersion: "none" } as const;
  if ((await r.records.put(identityLinkKind, identityLinkId(link, digests), link, options)) !== "stored") return false;
  await r.audit.append(logInEvent(context, { type: "link.created", outcome: 0, userId, appNames, providerName }));
  return true;
}

/** What is kept of a text that a provider says, for people to recognise an account by. */
export function printableText(text: string): string | null {
  const kept = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "").trim();
  return kept === "" ? null : Array.from(kept).slice(0, 255).join("");
}

/** Identities that wait to be bound, by the SHA-256 of their `dfUuid`. */
export const assignableIdentities: RecordKind<AssignableIdentity> = "accountLink";

/** Milliseconds for which an account of a provider can be bound after its owner came back from there. */
export const assignableLifetime = 900_000;

export type AssignableIdentity = ProviderIdentity &
  Pick<IdentityLink, "provider" | "email" | "displayName"> & {
    /** It cannot be bound with another app key. */
    readonly appKeyId: string;
  };

/** Another request has bound the identity meanwhile; the work for it is undone. */
export class TakenIdentityError extends Error {
  override readonly name = "TakenIdentityError";
}

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

/** The caller's links: all of the own user; of a shared user the one that was used; none of a custom account. */
async function ownLinks({ r, principal, session }: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
  const { authenticationMethod } = session;
  if (authenticationMethod.kind === "custom") return [];
  const links = await linksOfUser(r.records, principal.userId);
  return authenticationMethod.kind === "provider" && authenticationMethod.link.value.shared
    ? links.filter(({ id }) => id === authenticationMethod.link.id)
    : links;
}

export class ListOwnLinks {
  listOwnLinks(context: SessionContext): Promise<readonly StoredRecord<IdentityLink>[]> {
    return ownLinks(context);
  }
}

/**
 * Takes the caller's links to a provider away with their second factors, and ends the sessions that they opened. 698 for a name of no provider, 304
 * when there is none, 307 while one has a confirmed second factor: who binds the account anew would come back without it.
 */
export class RemoveOwnLinks {
  async removeOwnLinks(context: SessionContext, providerName: string): Promise<void> {
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
