import { randomBytes } from "node:crypto";
import type { ProviderType } from "@sallyport/storage";
import type {
  AuthorizationAnswer,
  AuthorizationRequest,
  IdentityProvider,
  ProviderData,
  ProviderProfile,
} from "@sallyport/core";
import { identityProviders, type IdentityProvidersOptions } from "@sallyport/identity-passport";
import { type Callback, type RegisteredFakes, signIn, startRegisteredFakes } from "@sallyport/fake-identity-providers";

export interface FakeProviders extends RegisteredFakes {
  /** Advances the clock of this process and of the fake providers. */
  readonly advance: (milliseconds: number) => void;
  /** New providers without cached keys. */
  readonly providers: (options?: IdentityProvidersOptions) => ReadonlyMap<ProviderType, IdentityProvider>;
}

export async function startFakeProviders(): Promise<FakeProviders> {
  let passed = 0;
  const realNow = Date.now;
  Date.now = () => realNow() + passed;
  const registered = await startRegisteredFakes();
  return {
    ...registered,
    advance: (milliseconds) => {
      passed += milliseconds;
    },
    providers: (options = {}) => identityProviders({ fakeProviders: registered.fakes.url, ...options }),
    close: async () => {
      Date.now = realNow;
      await registered.close();
    },
  };
}

const secret = () => randomBytes(32).toString("base64url");

export function requestFor(type: ProviderType, data: ProviderData): AuthorizationRequest {
  return {
    data,
    redirectUri: `http://127.0.0.1:8080/v1/${type}/callback`,
    state: secret(),
    nonce: secret(),
    codeVerifier: secret(),
  };
}

/** Completes a log-in as `accountId`. `change` can alter the callback. */
export async function logIn(
  provider: IdentityProvider,
  data: Record<string, string>,
  accountId: string | null,
  change: (answer: AuthorizationAnswer, callback: Callback) => AuthorizationAnswer = (answer) => answer,
): Promise<ProviderProfile> {
  const request = requestFor(provider.type, provider.accept(data));
  const callback = await signIn(await provider.begin(request), accountId);
  return provider.finish(change({ ...request, parameters: callback.parameters }, callback));
}
