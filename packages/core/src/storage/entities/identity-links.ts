import type { Digests } from "../../digests/index.ts";
import { allParts, type RecordKind, type RecordRepository, type StoredRecord } from "../record-repository.ts";
import type { ObjectId } from "./object-id.ts";

/** Accounts of providers that are bound to database users, by `identityLinkId`: an identity has one link at most, also under races. */
export const identityLinkKind: RecordKind<IdentityLink> = "identityLink";

/** Identity of a person at a provider. Nothing else identifies a person there, least of all the e-mail address. */
export interface ProviderIdentity {
  /** As the provider signs it, at most 255 characters. */
  readonly issuer: string;
  /** At most 255 characters. */
  readonly subject: string;
}

/** An account of a provider that is bound to a database user. */
export interface IdentityLink extends ProviderIdentity {
  /** A UUID, new for every binding. */
  readonly id: string;
  readonly provider: ProviderType;
  readonly userId: ObjectId;
  /** Bound without the user's own credentials, by a default user or by the hook: others may be bound to the same user. */
  readonly shared: boolean;
  /** For people to recognise the account by; never compared with anything. */
  readonly email: string | null;
  readonly displayName: string | null;
}

/** A link as its record holds it. A link that was removed and bound anew has another `born`. */
export type IdentityLinkRecord = Pick<StoredRecord<IdentityLink>, "id" | "born" | "value">;

/** The names under which providers are configured, registered and addressed. */
export const providerTypes = ["google", "facebook", "microsoft", "apple"] as const;

export type ProviderType = (typeof providerTypes)[number];

/** Id of the record that binds an identity. */
export function identityLinkId({ issuer, subject }: ProviderIdentity, digests: Pick<Digests, "sha256">): string {
  return digests.sha256(["identity", issuer, subject].join("\0"));
}

/** The links of a database user: by provider, then by the time of binding. */
export async function linksOfUser(records: RecordRepository, userId: ObjectId): Promise<StoredRecord<IdentityLink>[]> {
  const owner = linkOwner(userId);
  const links = await allParts(
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

/** The owner of a user's links: they go with the account. */
export function linkOwner(userId: ObjectId): string {
  return `user:${userId}`;
}
