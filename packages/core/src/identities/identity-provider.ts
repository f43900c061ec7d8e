import { type ProviderIdentity, type ProviderType, providerTypes } from "@sallyport/storage";

/** The decrypted additional data of a provider entry, validated by `IdentityProvider.accept`. Secret. */
export type ProviderData = Readonly<Record<string, string>>;

export interface AuthorizationRequest {
  readonly data: ProviderData;
  /** The exact callback address. */
  readonly redirectUri: string;
  /** Random. Returned with the callback. */
  readonly state: string;
  /** Random. Returned in the ID token. */
  readonly nonce: string;
  /** The PKCE code verifier, 43 characters of base64url. Ignored by providers without PKCE. */
  readonly codeVerifier: string;
}

/** The unverified callback parameters of the query or form, by name. */
export type CallbackParameters = ReadonlyMap<string, string>;

export interface AuthorizationAnswer extends AuthorizationRequest {
  readonly parameters: CallbackParameters;
}

/** An authenticated external user. */
export interface ProviderProfile extends ProviderIdentity {
  /** As the provider states it, unverified. Empty if it states nothing. */
  readonly name: string;
  readonly surname: string;
  readonly email: string;
}

/**
 * Port: one kind of identity provider. Failures are `ServiceError`s that do not pass provider details to the client.
 * 608: the provider refuses the additional data (unknown client, wrong secret, unusable key). 324: the provider or its
 * user refuses, the proof is invalid (signature, issuer, audience, expiry, nonce), or the answer is malformed. 706: the
 * provider does not answer, fails or is overloaded.
 */
export interface IdentityProvider {
  readonly type: ProviderType;

  /** Validates and completes additional data. Otherwise 608, whose `detail` names the missing members and contains no value. */
  accept(data: unknown): ProviderData;

  /** Checks that the provider is reachable and, where it can tell, accepts the client. For operators, before the first log-in. */
  check(data: ProviderData): Promise<void>;

  /** Returns the authorization address for the browser. */
  begin(request: AuthorizationRequest): Promise<string>;

  /** Exchanges the callback parameters for a verified identity. */
  finish(answer: AuthorizationAnswer): Promise<ProviderProfile>;
}

const aliases: ReadonlyMap<string, ProviderType> = new Map<string, ProviderType>([
  ...providerTypes.map((type) => [type, type] as const),
  ["windowslive", "microsoft"],
  ["appleid", "apple"],
]);

/** Returns the provider type of a name, in any case, or `null` for an unknown name. */
export function providerTypeOf(name: string): ProviderType | null {
  return aliases.get(name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())) ?? null;
}
