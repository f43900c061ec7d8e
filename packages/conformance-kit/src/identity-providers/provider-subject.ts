import type { AuthorizationAnswer, AuthorizationRequest, IdentityProvider } from "@sallyport/core";
import type { ProviderUnderTest } from "./provider-under-test.ts";

/** Milliseconds that a provider has for a callback, unless a check is about time. */
const timeout = 5_000;

/** A provider that a check looks at. */
export interface ProviderSubject {
  readonly underTest: ProviderUnderTest;
  readonly provider: IdentityProvider;
  /** A log-in that nobody has begun before. */
  readonly request: () => AuthorizationRequest;
  /** What the browser of the first person brings back for a request. */
  readonly answer: (request: AuthorizationRequest, person?: string | null) => Promise<AuthorizationAnswer>;
}

export function providerSubject(underTest: ProviderUnderTest, time: number = timeout): ProviderSubject {
  const provider = underTest.create({ timeout: time });
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
    answer: async (asked, person = underTest.users[0]) => ({
      ...asked,
      parameters: await underTest.signIn(await provider.begin(asked), person),
    }),
  };
}

/** 43 characters of base64url. */
const secret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
