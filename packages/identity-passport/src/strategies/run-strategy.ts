import { createHash } from "node:crypto";
import { misconfigured, unproven } from "../http/provider-failure.ts";
import type { GuardedClient, ProviderAnswer } from "../http/guarded-client.ts";
import type { OAuthStrategy, StrategyOutcomes } from "./oauth-strategy.ts";

/** The address that a strategy sends the browser to, with the parameters that it does not know of. */
export function authorizationAddress(
  strategy: OAuthStrategy,
  state: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  strategy.authorizationParams = () => ({ ...parameters });
  return new Promise((resolve, reject) => {
    const other = () => reject(unproven("the strategy gave no address to begin at"));
    outcomesOf(strategy, { redirect: resolve, success: other, fail: other, error: other, pass: other });
    strategy.authenticate({ query: {} }, { state });
  });
}

/** The parameters that PKCE adds to an authorization request. */
export function challengeOf(verifier: string): {
  readonly code_challenge: string;
  readonly code_challenge_method: "S256";
} {
  return { code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" };
}

export interface CodeTrade {
  readonly code: string;
  readonly state: string;
  readonly client: GuardedClient;
  readonly signal: AbortSignal;
  /** Whether what the provider refuses with means that it does not accept the additional data. */
  readonly blamesData: (answer: ProviderAnswer) => boolean;
}

/**
 * What a strategy makes of a code. Whatever it asks of the provider goes through the guarded client, and what fails there
 * never gets to the strategy, whose errors would hold what the provider said.
 */
export function tradeCode(
  strategy: OAuthStrategy,
  { code, state, client, signal, blamesData }: CodeTrade,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const refused = () => reject(unproven("the provider gave nothing for the code"));
    outcomesOf(strategy, { success: resolve, fail: refused, error: refused, redirect: refused, pass: refused });
    strategy._oauth2._request = (method, url, headers, body, accessToken, callback) => {
      const address = new URL(url);
      if (accessToken !== null && accessToken !== "") address.searchParams.set("access_token", accessToken);
      const request = {
        method: method === "POST" ? "POST" : "GET",
        url: address.href,
        headers: headers ?? {},
        ...(body === null || body === "" ? {} : { body }),
      } as const;
      const relay = async () => {
        const answer = await client.ask(request, signal);
        if (answer.status >= 400)
          throw blamesData(answer)
            ? misconfigured("the provider does not accept the client or its secret")
            : unproven("the provider refused the code");
        callback(null, answer.text);
      };
      relay().catch(reject);
    };
    strategy.authenticate({ query: { code, state } }, {});
  });
}

const outcomesOf = (strategy: OAuthStrategy, outcomes: StrategyOutcomes) => Object.assign(strategy, outcomes);
