import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProviderData, ProviderType } from "@sallyport/core";
import { type FakeClient, startFakeIdentityProviders } from "@sallyport/fake-identity-providers";

export interface DemoProviders {
  /** The base address of the imitations. */
  readonly url: string;
  /** What the demo is known by there, for the entries of its databases. */
  readonly entries: readonly { readonly type: ProviderType; readonly name: string; readonly data: ProviderData }[];
  close(): Promise<void>;
}

export interface DemoProvidersOptions {
  /** Where Apple's key file of the demo is, or is made; an absolute path. */
  readonly folder: string;
  /** The address of the server, by which browsers come back. */
  readonly serverAddress: string;
}

const secret = "demo-secret";
const teamId = "DEMO123456";
const keyIdentifier = "DEMOKEY123";

/** Starts imitations of all providers on this machine, so that log-ins through them can be tried without being known to anybody, offline. */
export async function startDemoProviders({ folder, serverAddress }: DemoProvidersOptions): Promise<DemoProviders> {
  const keyPath = join(folder, "apple-demo-key.p8");
  const publicKey = createPublicKey(await keyIn(keyPath))
    .export({ type: "spki", format: "pem" })
    .toString();
  const clients: readonly FakeClient[] = [
    { provider: "google", clientId: "demo.imitation.invalid", clientSecret: secret },
    { provider: "facebook", clientId: "1000000000", clientSecret: secret },
    { provider: "microsoft", clientId: "demo-imitation", clientSecret: secret },
    {
      provider: "apple",
      clientId: "invalid.imitation.demo",
      clientSecret: null,
      key: { teamId, keyIdentifier, publicKey },
    },
  ];
  const { url, close } = await startFakeIdentityProviders({ clients });
  const entries = clients.map(({ provider, clientId, clientSecret }) => ({
    type: provider,
    name: `Imitation of ${titles[provider]}`,
    data:
      clientSecret === null ? { clientId, serverAddress, teamId, keyIdentifier, keyPath } : { clientId, clientSecret },
  }));
  const takeBack = await announceFakeProvidersAddress(folder, url);
  return {
    url,
    entries,
    close: async () => {
      await takeBack();
      await close();
    },
  };
}

const titles: Readonly<Record<ProviderType, string>> = {
  google: "Google",
  facebook: "Facebook",
  microsoft: "Microsoft",
  apple: "Apple",
};

/** The key in the file, which is made if there is none. */
async function keyIn(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  try {
    await writeFile(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // It is there: from another start, or from another server of the demo.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFile(path, "utf8");
}

const fileIn = (folder: string) => join(folder, "provider-imitation.url");

/** Says in the folder of a demo at which address its imitations of providers are, for commands that ask what the server asks; what is given takes it back. */
async function announceFakeProvidersAddress(folder: string, url: string): Promise<() => Promise<void>> {
  await writeFile(fileIn(folder), `${url}\n`, { mode: 0o600 });
  return async () => {
    // Another server of the demo may have said another one since.
    if ((await readFakeProvidersAddress(folder)) === url) await rm(fileIn(folder), { force: true });
  };
}

/** What a demo has said last, whether it still runs or was killed; `null` if none says anything. */
export async function readFakeProvidersAddress(folder: string): Promise<string | null> {
  try {
    const url = (await readFile(fileIn(folder), "utf8")).trim();
    return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url) ? url : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
