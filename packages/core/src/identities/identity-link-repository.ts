import type { ObjectId } from "../objects/object-id.ts";

/** Port: which accounts of providers are bound to which database users. An identity has one link at most, whatever races there are. */
export interface IdentityLinkRepository {
  find(identity: ProviderIdentity): Promise<IdentityLink | null>;

  /** `taken` when the identity is bound already; nothing changes then. A text that is not storable: 307. */
  create(link: NewIdentityLink): Promise<"created" | "taken">;

  /** The links of a user, by provider and then by the time of linking. */
  ofUser(userId: ObjectId): Promise<IdentityLink[]>;

  /**
   * Removes the link with this id; the ids of those that were there. Sessions that it opened are no longer admitted.
   */
  remove(
    selector: { readonly id: string } | { readonly userId: ObjectId; readonly provider: ProviderType },
  ): Promise<string[]>;

  /** At most `limit` in the order of their ids: from the first (`null`), or those after an id. */
  list(after: string | null, limit: number): Promise<IdentityLink[]>;
}

/** Who somebody is at a provider: nothing else identifies him, least of all his e-mail address. */
export interface ProviderIdentity {
  /** As the provider signs it, at most 255 characters. */
  readonly issuer: string;
  /** At most 255 characters. */
  readonly subject: string;
}

/** An account of a provider that is bound to a database user. */
export interface IdentityLink extends ProviderIdentity {
  /** A UUID. */
  readonly id: string;
  readonly provider: ProviderType;
  readonly userId: ObjectId;
  /** Bound without the user's own credentials, by a default user or by the hook: others may be bound to the same user. */
  readonly shared: boolean;
  /** For people to recognise it by; never compared with anything. */
  readonly email: string | null;
  readonly displayName: string | null;
  /** By the storage's clock, milliseconds since 1970. */
  readonly linkedAt: number;
}

export type NewIdentityLink = Omit<IdentityLink, "linkedAt">;

/** The names under which providers are configured, registered and addressed. */
export const providerTypes = ["google", "facebook", "microsoft", "apple"] as const;

export type ProviderType = (typeof providerTypes)[number];
