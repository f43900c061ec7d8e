import { type ProviderIdentity, type ProviderType, providerTypes } from "../storage/index.ts";

/** The additional data of a provider entry, opened and checked by `IdentityProviders.accept`. Secret. */
export type ProviderData = Readonly<Record<string, string>>;

/** How one log-in at a provider begins. */
export interface AuthorizationRequest {
  readonly data: ProviderData;
  /** The exact callback address. */
  readonly redirectUri: string;
  /** Unguessable; comes back with the callback. */
  readonly state: string;
  /** Unguessable; comes back in the id token. */
  readonly nonce: string;
  /** The secret of PKCE, 43 characters of base64url; ignored where the provider has none. */
  readonly codeVerifier: string;
}

/** What the provider's callback brought, unchecked: the parameters of the query or of the form, by name. */
export type CallbackParameters = ReadonlyMap<string, string>;

export interface AuthorizationAnswer extends AuthorizationRequest {
  readonly parameters: CallbackParameters;
}

/** Somebody whom a provider vouches for. */
export interface ProviderProfile extends ProviderIdentity {
  /** What the provider says and nobody has checked; empty texts where it says nothing. */
  readonly name: string;
  readonly surname: string;
  readonly email: string;
}

/**
 * Port: one kind of identity provider. Failures are `ServiceError`s that tell the client nothing of the provider's: 608 for additional
 * data that the provider does not accept (client unknown, secret wrong, key unusable), 324 when the provider or its user refuses, when
 * what it says is not proven (signature, issuer, audience, expiry, nonce), and when it answers wrongly; 706 when it does not answer,
 * or that it is out of order or overloaded.
 */
export interface IdentityProvider {
  readonly type: ProviderType;

  /** Checks and completes additional data; 608 with what is missing in `detail`, never a value. */
  accept(data: unknown): ProviderData;

  /** Asks the provider whether it is there and, as far as it tells, accepts the client: for operators, before anybody logs in. */
  check(data: ProviderData): Promise<void>;

  /** The address that the browser is sent to. */
  begin(request: AuthorizationRequest): Promise<string>;

  /** Trades what came back for somebody's identity, verified. */
  finish(answer: AuthorizationAnswer): Promise<ProviderProfile>;
}

const aliases: ReadonlyMap<string, ProviderType> = new Map<string, ProviderType>([
  ...providerTypes.map((type) => [type, type] as const),
  ["windowslive", "microsoft"],
  ["appleid", "apple"],
]);

/** The provider that a name in any case means; `null` for a name of none. */
export function providerTypeOf(name: string): ProviderType | null {
  return aliases.get(name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())) ?? null;
}
