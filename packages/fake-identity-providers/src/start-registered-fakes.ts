import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProviderType, providerTypes } from "@sallyport/storage";
import type { FakeClient } from "./fake-provider.ts";
import {
  type FakeIdentityProviders,
  type FakeIdentityProvidersOptions,
  startFakeIdentityProviders,
} from "./start-fake-identity-providers.ts";

/** Fakes at which one service is registered, for tests. */
export interface RegisteredFakes {
  readonly fakes: FakeIdentityProviders;
  /** The key file of the registration at Apple. */
  readonly keyPath: string;
  /** The data of a registration, as `sallyport --local provider add` takes it. `serverAddress`: URL of the service. */
  dataOf(provider: ProviderType, serverAddress?: string): Record<string, string>;
  close(): Promise<void>;
}

export interface RegisteredFakesOptions extends Omit<FakeIdentityProvidersOptions, "clients"> {
  /** URL of the service. Default: one outside this machine. */
  readonly serverAddress?: string;
  /** Callbacks outside this machine. */
  readonly callbacks?: readonly string[];
}

const clientIds: Readonly<Record<ProviderType, string>> = {
  google: "sallyport.apps",
  microsoft: "sallyport-app",
  facebook: "1234567890",
  apple: "com.example.sallyport",
};

const [teamId, keyIdentifier] = ["TEAM123456", "KEY1234567"];

const secretOf = (provider: ProviderType) => `${provider}-secret`;

/** Starts fakes with a registration at each, and writes the key file for Apple. */
export async function startRegisteredFakes({
  serverAddress: usual = "https://sallyport.example",
  callbacks = [],
  ...options
}: RegisteredFakesOptions = {}): Promise<RegisteredFakes> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-providers-"));
  const keyPath = join(folder, "AuthKey.p8");
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeFile(keyPath, privateKey, { mode: 0o600 });
  const clients = providerTypes.map((provider): FakeClient => {
    const client = { provider, clientId: clientIds[provider], callbacks };
    return provider === "apple"
      ? { ...client, clientSecret: null, key: { teamId, keyIdentifier, publicKey } }
      : { ...client, clientSecret: secretOf(provider) };
  });
  const fakes = await startFakeIdentityProviders({ ...options, clients });
  return {
    fakes,
    keyPath,
    dataOf: (provider, serverAddress = usual): Record<string, string> => {
      const clientId = clientIds[provider];
      return provider === "apple"
        ? { clientId, serverAddress, teamId, keyIdentifier, keyPath }
        : { clientId, clientSecret: secretOf(provider) };
    },
    close: async () => {
      await fakes.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
