import type { Digests } from "../digests/index.ts";
import { type AppKeyContext, entryEvent } from "../request/index.ts";
import {
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  linkOwner,
  type ProviderIdentity,
  type RecordKind,
  type Repositories,
} from "../storage/index.ts";

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
  await r.audit.append(entryEvent(context, { type: "link.created", outcome: 0, userId, appNames, providerName }));
  return true;
}

/** What is kept of a text that a provider says, for people to recognise an account by. */
export function remembered(text: string): string | null {
  const kept = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "").trim();
  return kept === "" ? null : Array.from(kept).slice(0, 255).join("");
}

/** Identities that wait to be bound, by the SHA-256 of their `dfUuid`. */
export const assignableIdentities: RecordKind<AssignableIdentity> = "accountLink";

/** Milliseconds for which an account of a provider can be bound after its owner came back from there. */
export const assignableLifetime = 900_000;

/** What a `dfUuid` stands for. */
export type AssignableIdentity = ProviderIdentity &
  Pick<IdentityLink, "provider" | "email" | "displayName"> & {
    /** Nobody with another app key can bind it. */
    readonly appKeyId: string;
  };

/** Somebody else has bound the identity meanwhile; what was done for it is undone. */
export class TakenIdentityError extends Error {
  override readonly name = "TakenIdentityError";
}
