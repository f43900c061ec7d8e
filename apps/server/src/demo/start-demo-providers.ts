import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProviderType } from "@sallyport/storage";
import type { ProviderData } from "@sallyport/core";
import { type FakeClient, startFakeIdentityProviders } from "@sallyport/fake-identity-providers";

export interface DemoProviders {
  /** Base URL of the fake providers. */
  readonly url: string;
  /** Registrations of the demo at the providers, for its databases. */
  readonly entries: readonly { readonly type: ProviderType; readonly name: string; readonly data: ProviderData }[];
  close(): Promise<void>;
}

export interface DemoProvidersOptions {
  /** Absolute path of the directory for Apple's key file. */
  readonly folder: string;
  /** Public URL of the server, for callbacks. */
  readonly serverAddress: string;
}

const secret = "demo-secret";
const teamId = "DEMO123456";
const keyIdentifier = "DEMOKEY123";

/** Starts fake providers on this machine, so that provider log-ins work offline and without registration. */
export async function startDemoProviders({ folder, serverAddress }: DemoProvidersOptions): Promise<DemoProviders> {
  const keyPath = join(folder, "apple-demo-key.p8");
  const publicKey = createPublicKey(await keyIn(keyPath))
    .export({ type: "spki", format: "pem" })
    .toString();
  const clients: readonly FakeClient[] = [
    { provider: "google", clientId: "demo.fake.invalid", clientSecret: secret },
    { provider: "facebook", clientId: "1000000000", clientSecret: secret },
    { provider: "microsoft", clientId: "demo-fake", clientSecret: secret },
    {
      provider: "apple",
      clientId: "invalid.fake.demo",
      clientSecret: null,
      key: { teamId, keyIdentifier, publicKey },
    },
  ];
  const { url, close } = await startFakeIdentityProviders({ clients });
  const entries = clients.map(({ provider, clientId, clientSecret }) => ({
    type: provider,
    name: `Fake ${titles[provider]}`,
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

/** Reads the private key from the file, or generates it. */
async function keyIn(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  try {
    await writeFile(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another start or another demo server created it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFile(path, "utf8");
}

const fileIn = (folder: string) => join(folder, "fake-providers.url");

/** Writes the URL of the fake providers to the directory, for commands. Returns a function that removes it. */
async function announceFakeProvidersAddress(folder: string, url: string): Promise<() => Promise<void>> {
  await writeFile(fileIn(folder), `${url}\n`, { mode: 0o600 });
  return async () => {
    // Another demo server may have replaced it.
    if ((await readFakeProvidersAddress(folder)) === url) await rm(fileIn(folder), { force: true });
  };
}

/** The last written URL, possibly of a stopped server; `null` if there is none. */
export async function readFakeProvidersAddress(folder: string): Promise<string | null> {
  try {
    const url = (await readFile(fileIn(folder), "utf8")).trim();
    return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url) ? url : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
