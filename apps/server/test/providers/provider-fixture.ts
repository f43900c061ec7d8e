import { resolve } from "node:path";
import { createHash } from "node:crypto";
import { type IdentityLink, identityLinkKind, type ProviderType, providerTypes } from "@sallyport/storage";
import { administrationOf, ProviderSealing, putProvider } from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { identityProviders } from "@sallyport/identity-passport";
import { type FakeIdentityProviders, startRegisteredFakes } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import { databaseOf, repositoriesOf } from "../repositories-of.ts";
import { tuned } from "../test-environment.ts";

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
  ...tuned({ providers: { timeout: 4_000 } }),
};

/** The same, with a hook for new users. */
export const providerHookEnvironment = { ...providerEnvironment, MACROS_DIR: resolve(import.meta.dirname, "macros") };

/** Fake providers, and the settings of servers that use them. */
export interface ProviderFixture {
  readonly fakes: FakeIdentityProviders;
  /** Content of the configuration file besides databases. */
  readonly content: object;
  readonly dataOf: (type: ProviderType) => Record<string, string>;
  close(): Promise<void>;
}

export async function openProviderFixture(): Promise<ProviderFixture> {
  const { fakes, dataOf, close } = await startRegisteredFakes({
    serverAddress: "https://service.example/under",
    callbacks: ["", "/second"].map((alias) => `https://service.example/under${alias}/v1/apple/callback`),
  });
  return {
    fakes,
    content: {
      server: { publicUrl },
      providers: { fakeUrl: fakes.url },
      oAuthProviders: providerTypes.map((name) => ({ name })),
    },
    dataOf: (type) => dataOf(type),
    close,
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
  const services = { providerSealing: new ProviderSealing(new AesGcmKeyWrapping(masterKey)) };
  const context = administrationOf(databaseOf(server, alias));
  await putProvider(
    { ...context, services },
    {
      provider,
      data,
      name: type,
      defaultUserId,
      appNames: ["demo-app"],
    },
  );
}

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
