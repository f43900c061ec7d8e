import { createHash, randomBytes } from "node:crypto";
import { signIn } from "@sallyport/provider-imitation";
import { holdContest } from "../contest/hold-contest.ts";
import { type SpentRequest, SpentRequests } from "../contest/spent-requests.ts";
import { imitatedClient } from "../product/imitated-client.ts";
import { registerProvider } from "../product/register-provider.ts";
import { compared } from "../report/compared.ts";
import { connections } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

const { clientId, clientSecret } = imitatedClient;
const account = "anna";
/** Who prepares log-ins does some at once. */
const atOnce = 16;
const form = { "content-type": "application/x-www-form-urlencoded" };

/** Callbacks of log-ins at a provider, each with its session, and the token endpoint that each of them asks. */
export const providerScenario: Scenario = {
  name: "provider",
  async run(stage, plan) {
    const { address: imitation, process: provider } = await stage.runningLimit("imitated-provider");
    const { appKey, ...schema } = await stage.smallSchema();
    await registerProvider(stage.database.address, { appKey, ...schema });
    const product = await stage.startProduct({ "": "sallyport" }, { imitation });
    const callbacks = (count: number) => several(count, () => callback(product.address, appKey));
    const codes = (count: number) => several(count, () => trade(imitation));
    const result = await holdContest(
      [
        new SpentRequests("callback", product.process, { connections, perSecond: 150, prepare: callbacks }, stage.database),
        new SpentRequests("token endpoint", provider, { connections, perSecond: 500, prepare: codes }, stage.database),
      ],
      plan,
    );
    return [compared(result, { scenario: "callback of a provider", ours: "callback", limit: "token endpoint", bound: { direction: "atLeast", wanted: 0.5 } })];
  },
};

/** Begins a log-in and goes to the provider: what is left is to come back. */
async function callback(address: string, appKey: string): Promise<SpentRequest> {
  const begun = await fetch(`${address}/v1/auth/google?appkey=${appKey}`, { redirect: "manual" });
  await begun.arrayBuffer();
  const [cookie = ""] = begun.headers.get("set-cookie")?.split(";") ?? [];
  const { parameters } = await signIn(begun.headers.get("location") ?? "", account);
  return { method: "GET", url: `${address}/v1/google/callback?${new URLSearchParams([...parameters])}`, headers: { cookie } };
}

/** A code that the product has nothing to do with. */
async function trade(imitation: string): Promise<SpentRequest> {
  const redirectUri = "http://127.0.0.1:9/callback";
  const verifier = randomBytes(32).toString("base64url");
  const challenge = { code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" };
  const asked = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri, scope: "openid profile email", state: "bench", nonce: "bench", ...challenge });
  const { parameters } = await signIn(`${imitation}/google/authorize?${asked}`, account);
  const fields = { grant_type: "authorization_code", code: parameters.get("code") ?? "", redirect_uri: redirectUri, client_id: clientId, client_secret: clientSecret, code_verifier: verifier };
  return { method: "POST", url: `${imitation}/google/token`, headers: form, body: `${new URLSearchParams(fields)}` };
}

async function several<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  const makeSome = async () => {
    while (made.length < count) made.push(await make());
  };
  await Promise.all(Array.from({ length: atOnce }, makeSome));
  return made.slice(0, count);
}
