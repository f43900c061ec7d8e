import type { AuthorizationAnswer, AuthorizationRequest, IdentityProvider } from "@sallyport/core";
import type { ProviderUnderTest } from "./provider-under-test.ts";

/** Milliseconds for a provider callback in checks without their own timeout. */
const defaultTimeout = 5_000;

/** The provider under test, as a check sees it. */
export interface ProviderSubject {
  readonly underTest: ProviderUnderTest;
  readonly provider: IdentityProvider;
  /** Starts a new log-in. */
  readonly request: () => AuthorizationRequest;
  /** Signs in at the provider, by default as the first user; `null` cancels. Returns the callback for a request. */
  readonly answer: (request: AuthorizationRequest, user?: string | null) => Promise<AuthorizationAnswer>;
}

export function providerSubject(underTest: ProviderUnderTest, timeout: number = defaultTimeout): ProviderSubject {
  const provider = underTest.create({ timeout });
  const request = (): AuthorizationRequest => ({
    data: provider.accept({ ...underTest.data }),
    redirectUri: `http://127.0.0.1:8080/v1/${provider.type}/callback`,
    state: secret(),
    nonce: secret(),
    codeVerifier: secret(),
  });
  return {
    underTest,
    provider,
    request,
    answer: async (authorization, user = underTest.users[0]) => ({
      ...authorization,
      parameters: await underTest.signIn(await provider.begin(authorization), user),
    }),
  };
}

/** 43 characters of base64url. */
const secret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
