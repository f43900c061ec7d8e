import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  AuthorizationAnswer,
  AuthorizationRequest,
  IdentityProvider,
  ProviderData,
  ProviderProfile,
  ProviderType,
} from "@sallyport/core";
import { identityProviders, type IdentityProvidersOptions } from "@sallyport/identity-passport";
import {
  type Callback,
  type FakeIdentityProviders,
  signIn,
  startFakeIdentityProviders,
} from "@sallyport/fake-identity-providers";

export interface FakeProviders {
  readonly fakes: FakeIdentityProviders;
  readonly keyPath: string;
  /** Advances the clock of this process and of the fake providers. */
  readonly advance: (milliseconds: number) => void;
  /** New providers without cached keys. */
  readonly providers: (options?: IdentityProvidersOptions) => ReadonlyMap<ProviderType, IdentityProvider>;
  readonly dataOf: (type: ProviderType) => Record<string, string>;
  readonly close: () => Promise<void>;
}

export async function startFakeProviders(): Promise<FakeProviders> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-providers-"));
  const keyPath = join(folder, "AuthKey.p8");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(keyPath, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const key = {
    teamId: "TEAM123456",
    keyIdentifier: "KEY1234567",
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
  let passed = 0;
  const realNow = Date.now;
  Date.now = () => realNow() + passed;
  const fakes = await startFakeIdentityProviders({
    clients: [
      { provider: "google", clientId: "sallyport.apps", clientSecret: "google-secret" },
      { provider: "microsoft", clientId: "sallyport-app", clientSecret: "microsoft-secret" },
      { provider: "facebook", clientId: "1234567890", clientSecret: "facebook-secret" },
      { provider: "apple", clientId: "com.example.sallyport", clientSecret: null, key },
    ],
  });
  const data: Record<ProviderType, Record<string, string>> = {
    google: { clientId: "sallyport.apps", clientSecret: "google-secret" },
    microsoft: { clientId: "sallyport-app", clientSecret: "microsoft-secret" },
    facebook: { clientId: "1234567890", clientSecret: "facebook-secret" },
    apple: {
      clientId: "com.example.sallyport",
      serverAddress: "https://sallyport.example",
      teamId: key.teamId,
      keyIdentifier: key.keyIdentifier,
      keyPath,
    },
  };
  return {
    fakes,
    keyPath,
    advance: (milliseconds) => {
      passed += milliseconds;
    },
    providers: (options = {}) => identityProviders({ fakeProviders: fakes.url, ...options }),
    dataOf: (type) => data[type],
    close: async () => {
      Date.now = realNow;
      await fakes.close();
      await rm(folder, { recursive: true });
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
