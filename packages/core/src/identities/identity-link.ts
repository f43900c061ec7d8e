import type { ObjectId } from "../objects/object-id.ts";

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
