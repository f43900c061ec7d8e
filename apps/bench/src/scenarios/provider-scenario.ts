import { createHash, randomBytes } from "node:crypto";
import { accountsOf, signIn } from "@sallyport/provider-imitation";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import type { LoadRequest } from "../load/load-job.ts";
import { imitatedAccountCount, imitatedClient } from "../product/imitated-client.ts";
import { registerProvider } from "../product/register-provider.ts";
import { compared } from "../report/compared.ts";
import { connections } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

const { clientId, clientSecret } = imitatedClient;
const accounts = accountsOf(imitatedAccountCount).map(({ id }) => id);
/** Who prepares log-ins does some at once. */
const atOnce = 16;
const form = { "content-type": "application/x-www-form-urlencoded" };

/**
 * Callbacks of log-ins at a provider, each with its session, and the token endpoint that each of them asks. Both are good once, and made
 * before the clock runs: the seconds of a round say how many there are, not how long they take.
 */
export const providerScenario: Scenario = {
  name: "provider",
  async run(stage, plan) {
    const { address: imitation, process: provider } = await stage.runningLimit("imitated-provider");
    const { appKey, ...schema } = await stage.smallSchema();
    await registerProvider(stage.database.address, { appKey, ...schema });
    const product = await stage.startProduct({ "": "sallyport" }, { imitation });
    const spent = { connections, once: true };
    const callbacks = (seconds: number) => several(seconds * 200, (account) => callback(product.address, appKey, account));
    const codes = (seconds: number) => several(seconds * 1_000, (account) => trade(imitation, account));
    const result = await holdContest(
      [
        new LoadedServer("callback", product.process, { ...spent, address: product.address, requests: callbacks }, stage.generator, stage.database),
        new LoadedServer("token endpoint", provider, { ...spent, address: imitation, requests: codes }, stage.generator, stage.database),
      ],
      plan,
    );
    return [compared(result, { scenario: "callback of a provider", ours: "callback", limit: "token endpoint", bound: { direction: "atLeast", wanted: 0.5 } })];
  },
};

/** Begins a log-in and goes to the provider: what is left is to come back. */
async function callback(address: string, appKey: string, account: string): Promise<LoadRequest> {
  const begun = await fetch(`${address}/v1/auth/google?appkey=${appKey}`, { redirect: "manual" });
  await begun.arrayBuffer();
  const [cookie = ""] = begun.headers.get("set-cookie")?.split(";") ?? [];
  const { parameters } = await signIn(begun.headers.get("location") ?? "", account);
  return { method: "GET", path: `/v1/google/callback?${new URLSearchParams([...parameters])}`, headers: { cookie } };
}

/** A code that the product has nothing to do with. */
async function trade(imitation: string, account: string): Promise<LoadRequest> {
  const redirectUri = "http://127.0.0.1:9/callback";
  const verifier = randomBytes(32).toString("base64url");
  const challenge = { code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" };
  const asked = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri, scope: "openid profile email", state: "bench", nonce: "bench", ...challenge });
  const { parameters } = await signIn(`${imitation}/google/authorize?${asked}`, account);
  const fields = { grant_type: "authorization_code", code: parameters.get("code") ?? "", redirect_uri: redirectUri, client_id: clientId, client_secret: clientSecret, code_verifier: verifier };
  return { method: "POST", path: "/google/token", headers: form, body: `${new URLSearchParams(fields)}` };
}

/** About so many, as many for each connection, in turn of all accounts. */
async function several<T>(count: number, make: (account: string) => Promise<T>): Promise<T[]> {
  const wanted = Math.ceil(count / connections) * connections;
  const made: T[] = [];
  let begun = 0;
  const makeSome = async () => {
    while (begun < wanted) {
      begun += 1;
      made.push(await make(accounts[begun % accounts.length] ?? ""));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, makeSome));
  return made;
}
