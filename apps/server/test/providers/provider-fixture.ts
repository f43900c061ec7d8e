import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  administrationOf,
  type Database,
  type IdentityLink,
  identityLinkKind,
  ProviderSealing,
  type ProviderType,
  providerTypes,
  PutProvider,
  type Repositories,
} from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { identityProviders } from "@sallyport/identity-passport";
import { type FakeIdentityProviders, startFakeIdentityProviders } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";

const masterKey = createHash("sha256").update("a master key of tests").digest();

/**
 * The public address of the service. Nothing listens there, so a server that used the request's address would be
 * noticed.
 */
export const publicUrl = "http://127.0.0.1:9/under";

/** Common settings of every server, besides its databases. */
export const providerEnvironment: Readonly<Record<string, string>> = {
  MASTER_KEY: masterKey.toString("base64"),
  BASE_PATH: "/under",
  THROTTLE_IP_MAX_FAILURES: "10000",
  THROTTLE_USER_MAX_FAILURES: "10000",
  PROVIDERS_TIMEOUT: "4s",
};

/** Fake providers, and the settings of servers that use them. */
export interface ProviderFixture {
  readonly fakes: FakeIdentityProviders;
  /** Content of the configuration file besides databases. */
  readonly content: object;
  readonly dataOf: (type: ProviderType) => Record<string, string>;
  close(): Promise<void>;
}

export async function openProviderFixture(): Promise<ProviderFixture> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
  const keyPath = join(folder, "AuthKey.p8");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(keyPath, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const key = {
    teamId: "TEAM123456",
    keyIdentifier: "KEY1234567",
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
  const appleCallbacks = ["", "/second"].map((alias) => `https://service.example/under${alias}/v1/apple/callback`);
  const fakes = await startFakeIdentityProviders({
    clients: [
      { provider: "google", clientId: "sallyport.apps", clientSecret: "google-secret" },
      { provider: "microsoft", clientId: "sallyport-app", clientSecret: "microsoft-secret" },
      { provider: "facebook", clientId: "1234567890", clientSecret: "facebook-secret" },
      { provider: "apple", clientId: "com.example.sallyport", clientSecret: null, key, callbacks: appleCallbacks },
    ],
  });
  const data: Record<ProviderType, Record<string, string>> = {
    google: { clientId: "sallyport.apps", clientSecret: "google-secret" },
    microsoft: { clientId: "sallyport-app", clientSecret: "microsoft-secret" },
    facebook: { clientId: "1234567890", clientSecret: "facebook-secret" },
    apple: {
      clientId: "com.example.sallyport",
      serverAddress: "https://service.example/under",
      teamId: key.teamId,
      keyIdentifier: key.keyIdentifier,
      keyPath,
    },
  };
  return {
    fakes,
    content: {
      server: { publicUrl },
      providers: { fakeUrl: fakes.url },
      oAuthProviders: providerTypes.map((name) => ({ name })),
    },
    dataOf: (type) => data[type],
    close: async () => {
      await fakes.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Registers a provider in a database of a server. */
export async function register(
  { fakes, dataOf }: ProviderFixture,
  server: RunningServer,
  type: ProviderType,
  change: { alias?: string; defaultUserId?: string | null; data?: object } = {},
): Promise<void> {
  const { alias = "", defaultUserId = null, data = dataOf(type) } = change;
  const provider = identityProviders({ fakeProviders: fakes.url }).get(type);
  if (provider === undefined) throw new Error(`There is no provider ${type}.`);
  const put = new PutProvider(new ProviderSealing(new AesGcmKeyWrapping(masterKey)));
  const context = administrationOf(databaseOf(server, alias));
  await put.putProvider(context, { provider, data, name: type, defaultUserId, appNames: ["demo-app"] });
}

export function databaseOf(server: RunningServer, alias = ""): Database {
  const database = server.databases.get(alias);
  if (!database) throw new Error(`There is no database "${alias}".`);
  return database;
}

export const repositoriesOf = (server: RunningServer, alias = ""): Repositories =>
  databaseOf(server, alias).storage.repositories;

/** The links from accounts to users at a provider. */
export async function linksOf(server: RunningServer, alias = ""): Promise<IdentityLink[]> {
  const { records } = repositoriesOf(server, alias);
  return (await records.list(identityLinkKind, { after: null, limit: 100 })).map(({ value }) => value);
}

/** Removes all links. */
export async function removeLinks(server: RunningServer, alias = ""): Promise<void> {
  const { records } = repositoriesOf(server, alias);
  const links = await records.list(identityLinkKind, { after: null, limit: 100 });
  await records.remove(identityLinkKind, { ids: links.map(({ id }) => id) });
}
