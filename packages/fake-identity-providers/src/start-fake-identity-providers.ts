import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ProviderType, providerTypes } from "@sallyport/storage";
import { SigningKeys } from "./id-token.ts";
import { accountsOf, type FakeAccount, fakeAccounts } from "./fake-account.ts";
import { type Call, GrantedCodes, type FakeClient, type FakeProvider, type ProviderFaults } from "./fake-provider.ts";
import { routes } from "./routes.ts";

export interface FakeIdentityProvidersOptions {
  readonly clients: readonly FakeClient[];
  /** Number of accounts at each provider. Default: the named ones. */
  readonly accounts?: number;
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Generates keys at their first use, and lets the process end while the fakes run. Default: false. */
  readonly background?: boolean;
}

export interface FakeIdentityProviders {
  /** Base URL of all four providers, for the server configuration. */
  readonly url: string;
  /** Number of requests by path. */
  readonly requests: ReadonlyMap<string, number>;
  /** Applies until changed. */
  injectFaults(provider: ProviderType, faults: ProviderFaults): void;
  clearFaults(): void;
  /** Generates the signing key, if there is none. */
  prepareKeys(provider: ProviderType): Promise<void>;
  /** Replaces the signing key. */
  rotateKeys(provider: ProviderType): Promise<void>;
  close(): Promise<void>;
}

const maxFormLength = 65_536;

/** Starts fakes of the four providers on loopback, with invented accounts and without passwords. */
export async function startFakeIdentityProviders({
  clients,
  accounts = fakeAccounts.length,
  port = 0,
  now = Date.now,
  background = false,
}: FakeIdentityProvidersOptions): Promise<FakeIdentityProviders> {
  const accountById = new Map(accountsOf(accounts).map((account) => [account.id, account]));
  const fakes = new Map<string, FakeProvider>(
    providerTypes.map((type) => [
      type,
      fakeProviderOf(
        clients.filter(({ provider }) => provider === type),
        accountById,
      ),
    ]),
  );
  // Clients do not verify the signature of Facebook's id tokens, so its key can wait.
  if (!background)
    await Promise.all([...fakes].map(([type, { keys }]) => (type === "facebook" ? null : keys.prepare())));
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    requests.set(pathname, (requests.get(pathname) ?? 0) + 1);
    const [, provider = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(pathname) ?? [];
    const route = routes.find(
      (each) => each.provider === provider && each.path.test(path) && each.methods.includes(request.method ?? ""),
    );
    const fake = fakes.get(provider);
    if (route === undefined || fake === undefined) {
      response.writeHead(404).end();
      return;
    }
    const form = new URLSearchParams(request.method === "POST" ? await textOf(request) : "");
    const [, directory = ""] = route.path.exec(path) ?? [];
    const call: Call = { fake, request, response, query: searchParams, form, directory, now: now() };
    await route.take(call);
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  if (background) server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (provider: ProviderType) => fakes.get(provider) as FakeProvider;

  return {
    url,
    requests,
    injectFaults: (provider, faults) => {
      at(provider).faults = faults;
    },
    clearFaults: () => {
      for (const fake of fakes.values()) fake.faults = {};
    },
    prepareKeys: async (provider) => void (await at(provider).keys.prepare()),
    rotateKeys: (provider) => at(provider).keys.rotate(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const fakeProviderOf = (clients: readonly FakeClient[], accounts: ReadonlyMap<string, FakeAccount>): FakeProvider => ({
  accounts,
  clients: new Map(clients.map((client) => [client.clientId, client])),
  keys: new SigningKeys(),
  codes: new GrantedCodes(),
  accessTokens: new Map(),
  faults: {},
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxFormLength) throw new RangeError("the form is too large");
  }
  return text;
}
