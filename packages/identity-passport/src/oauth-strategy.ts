import { createHash } from "node:crypto";
import type { CallbackParameters } from "@sallyport/core";
import type { GuardedClient, ProviderAnswer } from "./http/guarded-client.ts";
import { misconfigured, unproven } from "./http/provider-failure.ts";

/** What is asked of a strategy: the address for the browser, or the exchange of a code. */
export interface StrategyRequest {
  readonly query: { readonly code?: string; readonly state?: string };
}

/** What a strategy of Passport reports to: Passport sets these on the strategy before it runs it. */
interface StrategyOutcomes {
  success(user: unknown): void;
  fail(): void;
  error(): void;
  redirect(url: string): void;
  pass(): void;
}

/** How strategies ask their provider: the client of OAuth 2.0 that they were built on. */
export interface StrategyRequests {
  /** Asks for `url`; an access token goes into the query unless there is a header with it. */
  _request: (
    method: string,
    url: string,
    headers: Readonly<Record<string, string>> | null,
    body: string | null,
    accessToken: string | null,
    callback: (error: unknown, text: string) => void,
  ) => void;
}

/** What the strategies have in common, as far as it is used. */
export interface OAuthStrategy {
  authenticate(request: StrategyRequest, options: { readonly state?: string }): void;
  authorizationParams: () => Record<string, string>;
  readonly _oauth2: StrategyRequests;
}

/** The last argument of a strategy's constructor: takes everything that the token endpoint said to be the user. */
export type Verify = (
  accessToken: string,
  refreshToken: unknown,
  answer: object,
  profile: unknown,
  done: (error: null, user: object) => void,
) => void;

/** Where a strategy would keep state: ours is kept by the caller, who has consumed it before. */
interface StateStore {
  store(request: unknown, verifier: unknown, state: unknown, meta: unknown, callback: (error: Error) => void): void;
  verify(
    request: unknown,
    state: unknown,
    meta: unknown,
    callback: (error: null, ok: boolean | string, info?: object) => void,
  ): void;
}

export interface StrategyOptions {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly callbackURL: string;
  readonly authorizationURL: string;
  readonly tokenURL: string;
  readonly scope: string;
  readonly store: StateStore;
  readonly skipUserProfile: boolean;
  readonly passReqToCallback: false;
}

/** The packages' own types disagree about what keeps the state, and one package has none. */
export type StrategyClass = new (options: StrategyOptions, verify: Verify) => OAuthStrategy;

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

/** What providers say when somebody changed his mind, Apple in its own way. */
const cancelled = new Set(["access_denied", "user_cancelled_authorize"]);

const longestCode = 4_096;

/** The code that a callback brought for this log-in; 324 if the provider or its user refused, or if it is no such callback. */
export function codeOf(parameters: CallbackParameters, state: string): string {
  if (parameters.get("state") !== state) throw unproven("the callback belongs to another log-in");
  const error = parameters.get("error") ?? parameters.get("error_code");
  if (error !== undefined)
    throw unproven(cancelled.has(error) ? "the user cancelled at the provider" : "the provider refused the log-in");
  const code = parameters.get("code") ?? "";
  if (code === "" || code.length > longestCode) throw unproven("the callback has no code");
  return code;
}

/**
 * The state of one log-in for its strategy. A verifier that comes back as the state's content is what strategies send as
 * `code_verifier`. They look at the number of arguments, so all of them stand here.
 */
export const stateOfCaller = (state: string, codeVerifier: string | null): StateStore => ({
  store: (_request, _verifier, _state, _meta, callback) => callback(new Error("the state is given with every request")),
  verify: (_request, given, _meta, callback) =>
    given === state ? callback(null, codeVerifier ?? true) : callback(null, false, {}),
});
