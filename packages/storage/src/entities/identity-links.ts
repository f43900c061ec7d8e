import type { Digests } from "../digests/index.ts";
import { allPages } from "../ports/pages.ts";
import type { RecordKind, RecordRepository, StoredRecord } from "../ports/record-repository.ts";
import type { ObjectId } from "./object-id.ts";

/** Links of provider accounts to database users, by `identityLinkId`. An identity has at most one link, even under concurrency. */
export const identityLinkKind: RecordKind<IdentityLink> = "identityLink";

/** Identity at a provider. Only issuer and subject identify an account; the e-mail address never does. */
export interface ProviderIdentity {
  /** `iss` claim of the provider, at most 255 characters. */
  readonly issuer: string;
  /** `sub` claim of the provider, at most 255 characters. */
  readonly subject: string;
}

/** A provider account linked to a database user. */
export interface IdentityLink extends ProviderIdentity {
  /** A UUID, new for each link. */
  readonly id: string;
  readonly provider: ProviderType;
  readonly userId: ObjectId;
  /** Linked by a default user or a hook, without the user's own credentials. Several identities may share the user. */
  readonly shared: boolean;
  /** Display text for users. Never compared. */
  readonly email: string | null;
  readonly displayName: string | null;
}

/** The record of a link. A link that was removed and created again has another `createdVersion`. */
export type IdentityLinkRecord = Pick<StoredRecord<IdentityLink>, "id" | "createdVersion" | "value">;

/** Provider names in the configuration, the registry and the routes. */
export const providerTypes = ["google", "facebook", "microsoft", "apple"] as const;

export type ProviderType = (typeof providerTypes)[number];

/** Record id of the link of an identity. */
export function identityLinkId({ issuer, subject }: ProviderIdentity, digests: Pick<Digests, "sha256">): string {
  return digests.sha256(["identity", issuer, subject].join("\0"));
}

/** The links of a database user, sorted by provider, then by creation time. */
export async function linksOfUser(records: RecordRepository, userId: ObjectId): Promise<StoredRecord<IdentityLink>[]> {
  const owner = linkOwner(userId);
  const links = await allPages(
    (part) => records.list(identityLinkKind, { owner, ...part }),
    ({ id }) => id,
  );
  return links.toSorted(
    (one, other) => compare(one.value.provider, other.value.provider) || one.createdAt - other.createdAt,
  );
}

function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** The record owner of a user's links. The links are removed with the account. */
export function linkOwner(userId: ObjectId): string {
  return `user:${userId}`;
}
