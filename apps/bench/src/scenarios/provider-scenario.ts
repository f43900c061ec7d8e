import { randomBytes, randomUUID } from "node:crypto";
import { identityLinkId, identityLinkKind, linkOwner } from "@sallyport/storage";
import { operatorEvent, OwnUnit, ProviderSealing, putProvider } from "@sallyport/core";
import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { identityProviders, fakeIssuer } from "@sallyport/identity-passport";
import { accountsOf, signIn } from "@sallyport/fake-identity-providers";
import { atLeast } from "../comparison/outcome.ts";
import { connections, comparison, type RunningServer } from "../comparison/bench-environment.ts";
import { appName, type PreparedSchema, userNameOf, withStorage } from "../database/prepare-schema.ts";
import { codeRequest, form, fakeAccountCount, fakeClient, tokenRequest } from "../limits/provider-client.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import { masterKey } from "../processes/start-product.ts";

const accountIds = accountsOf(fakeAccountCount).map(({ id }) => id);
/** Number of log-ins to prepare concurrently. */
const concurrency = 16;
/** Factor of the warm-up time: a round has few callbacks, and the JIT compiler needs thousands. */
const longWarmUp = 6;

/**
 * Provider callbacks with session creation: the product, a hand-written application, and the token endpoint of both.
 * Requests are single-use and prepared before the clock starts. The seconds of a round set only their number.
 */
export const providerScenario = comparison("provider", async (bench) => {
  const provider = await bench.runningLimit("fake-provider");
  const schema = await bench.smallSchema();
  await registerProvider(bench.database.address, schema);
  const product = await bench.startProduct({ "": schema.schema }, { fakeProvider: provider.address });
  const written = await bench.runningLimit("express-callback", provider.address);
  const loaded = (
    name: string,
    server: RunningServer,
    perSecond: number,
    request: (account: string) => Promise<LoadRequest>,
  ) => bench.loaded(name, server, (seconds) => several(seconds * perSecond, request), { once: true });
  const callbacks = (name: string, server: RunningServer, path: string) =>
    loaded(name, server, 200, (account) => callback(server.address + path, account));
  const tokens = "the token endpoint";
  const hand = callbacks("Express + pg, callback by hand", written, "/begin");
  return {
    candidates: [
      callbacks("callback", product, `/v1/auth/google?appkey=${schema.appKey}`),
      hand,
      loaded(tokens, provider, 500, (account) => exchangeRequest(provider.address, account)),
    ],
    longWarmUp,
    lines: [
      { scenario: "callback of a provider", ours: "callback", limit: tokens, bound: atLeast(0.5) },
      { scenario: "callback of a provider", ours: "callback", limit: hand.name, bound: atLeast(0.7) },
      { scenario: hand.name, ours: hand.name, limit: tokens },
    ],
  };
});

/** Starts a log-in and signs in at the provider. Returns the callback request. */
async function callback(start: string, account: string): Promise<LoadRequest> {
  const begun = await fetch(start, { redirect: "manual" });
  await begun.arrayBuffer();
  const [cookie = ""] = begun.headers.get("set-cookie")?.split(";") ?? [];
  const { address, parameters } = await signIn(begun.headers.get("location") ?? "", account);
  return {
    method: "GET",
    path: `${new URL(address).pathname}?${new URLSearchParams([...parameters])}`,
    headers: cookie === "" ? {} : { cookie },
  };
}

/** A token request with a new code, without the product. */
async function exchangeRequest(fakeProvider: string, account: string): Promise<LoadRequest> {
  const redirectUri = "http://127.0.0.1:9/callback";
  const verifier = randomBytes(32).toString("base64url");
  const asked = codeRequest({ redirectUri, verifier, state: "bench", nonce: "bench" });
  const { parameters } = await signIn(`${fakeProvider}/google/authorize?${asked}`, account);
  const body = tokenRequest({ redirectUri, verifier, code: parameters.get("code") ?? "" });
  return { method: "POST", path: "/google/token", headers: form, body };
}

/** Creates `count` requests, rounded up to a multiple of the connections, over all accounts in turn. */
async function several<T>(count: number, make: (account: string) => Promise<T>): Promise<T[]> {
  const wanted = Math.ceil(count / connections) * connections;
  const made: T[] = [];
  let begun = 0;
  const makeSome = async () => {
    while (begun < wanted) {
      begun += 1;
      made.push(await make(accountIds[begun % accountIds.length] ?? ""));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, makeSome));
  return made;
}

/** Registers Google in a schema and links each account of the fake provider to a sample user. */
async function registerProvider(url: string, { schema }: PreparedSchema): Promise<void> {
  await withStorage(url, schema, async (storage) => {
    const { clientId, clientSecret } = fakeClient;
    const provider = identityProviders({}).get(fakeClient.provider);
    if (provider === undefined) throw new Error("There is no provider with this name.");
    const providerSealing = new ProviderSealing(new AesGcmKeyWrapping(masterKey));
    await putProvider(
      {
        r: storage.repositories,
        unit: new OwnUnit(storage),
        eventOf: operatorEvent,
        services: { providerSealing },
      },
      { provider, data: { clientId, clientSecret }, name: "Google", defaultUserId: null, appNames: [appName] },
    );
    const { accounts, records } = storage.repositories;
    const users = new Map(
      (await accounts.list("database", null, 2 * fakeAccountCount)).map(({ loginName, userId }) => [loginName, userId]),
    );
    for (const [index, { subject, email, name }] of accountsOf(fakeAccountCount).entries()) {
      const userId = users.get(userNameOf(index + 1));
      if (userId === undefined) throw new Error("There are fewer users than accounts.");
      const identity = { provider: provider.type, issuer: fakeIssuer(provider.type), subject };
      const link = { ...identity, id: randomUUID(), userId, shared: false, email, displayName: name };
      await records.put(identityLinkKind, identityLinkId(link, new NodeDigests()), link, { owner: linkOwner(userId) });
    }
  });
}
