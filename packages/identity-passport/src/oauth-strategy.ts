import { createHash } from "node:crypto";
import { callbackify } from "node:util";
import type { AuthorizationRequest, CallbackParameters } from "@sallyport/core";
import passport, { type AuthenticateOptions, type Strategy } from "passport";
import {
  type GuardedClient,
  type JsonObject,
  misconfigured,
  type ProviderAnswer,
  logInFailed,
} from "./guarded-client.ts";

/** The members of a strategy that this module uses. */
interface OAuthStrategy extends Strategy {
  authorizationParams: () => Record<string, string>;
  readonly _oauth2: {
    getOAuthAccessToken: (
      code: string,
      parameters: Record<string, string>,
      callback: (error: unknown, accessToken?: unknown, refreshToken?: unknown, answer?: JsonObject) => void,
    ) => void;
  };
}

/** Passes the whole token response on as the user. */
type Verify = (
  accessToken: string,
  refreshToken: unknown,
  answer: JsonObject,
  profile: unknown,
  done: (error: null, user: JsonObject) => void,
) => void;

/** State store of a strategy. The caller stores the state and has already consumed it. */
interface StateStore {
  store(request: unknown, verifier: unknown, state: unknown, meta: unknown, callback: (error: Error) => void): void;
  verify(
    request: unknown,
    state: unknown,
    meta: unknown,
    callback: (error: null, ok: boolean | string, info?: object) => void,
  ): void;
}

interface StrategyOptions {
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

/** The packages' types disagree about the state store, and one package has none. */
type StrategyClass = new (options: StrategyOptions, verify: Verify) => OAuthStrategy;

/** Strategy settings of a configured provider. */
export interface StrategyKind {
  /** A strategy class based on `passport-oauth2`. */
  readonly Strategy: unknown;
  readonly scope: string;
  readonly hasPkce: boolean;
  readonly authorize: string;
  readonly token: string;
  readonly clientSecret: string;
}

const authenticator = new passport.Passport();

/** One log-in through Passport and the strategy of a provider. */
export class StrategyLogIn {
  private readonly kind: StrategyKind;
  private readonly request: AuthorizationRequest;
  private readonly strategy: OAuthStrategy;

  constructor(kind: StrategyKind, request: AuthorizationRequest) {
    this.kind = kind;
    this.request = request;
    const { data, redirectUri, state, codeVerifier } = request;
    const options: StrategyOptions = {
      clientID: data["clientId"] ?? "",
      clientSecret: kind.clientSecret,
      callbackURL: redirectUri,
      authorizationURL: kind.authorize,
      tokenURL: kind.token,
      scope: kind.scope,
      store: stateOfCaller(state, kind.hasPkce ? codeVerifier : null),
      skipUserProfile: true,
      passReqToCallback: false,
    };
    // Strategies check the number of parameters.
    this.strategy = new (kind.Strategy as StrategyClass)(
      options,
      (_accessToken, _refreshToken, answer, _profile, done) => done(null, answer),
    );
  }

  /** The authorization URL of the strategy, with additional parameters. */
  authorizationAddress(parameters: Readonly<Record<string, string>>): Promise<string> {
    const { state, nonce, codeVerifier } = this.request;
    const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
    const pkce = this.kind.hasPkce ? { code_challenge: challenge, code_challenge_method: "S256" } : {};
    this.strategy.authorizationParams = () => ({ ...parameters, ...pkce, nonce });
    return new Promise((resolve, reject) => {
      const refused = () => reject(logInFailed("The strategy returned no authorization URL."));
      const setHeader = (name: string, value: string) => {
        if (name === "Location") resolve(value);
      };
      this.authenticate({ query: {} }, { setHeader, end: refused }, { state }, refused);
    });
  }

  /**
   * Exchanges an authorization code. The guarded client replaces node-oauth's request: that one has no time or size
   * limit, follows redirects, accepts forms as tokens, and puts provider texts into errors.
   */
  exchangeCode(code: string, exchange: CodeExchange): Promise<JsonObject> {
    const { data, state } = this.request;
    const { token, clientSecret } = this.kind;
    const client = { client_id: data["clientId"] ?? "", client_secret: clientSecret };
    this.strategy._oauth2.getOAuthAccessToken = (grant, parameters, callback) =>
      requestToken(token, { ...parameters, ...client, code: grant }, exchange, (error, answer) =>
        callback(error, answer?.["access_token"], undefined, answer),
      );
    return new Promise((resolve, reject) => {
      const refused = () => reject(logInFailed("The provider returned nothing for the code."));
      const outcome = (error: { readonly oauthError?: unknown } | null, answer: JsonObject | false) => {
        if (error?.oauthError instanceof Error) reject(error.oauthError);
        else if (error !== null || answer === false) refused();
        else resolve(answer);
      };
      this.authenticate({ query: { code, state } }, { setHeader: () => {}, end: refused }, {}, outcome);
    });
  }

  private authenticate(
    request: { readonly query: { readonly code?: string; readonly state?: string } },
    response: { readonly setHeader: (name: string, value: string) => void; readonly end: () => void },
    options: AuthenticateOptions,
    outcome: (error: { readonly oauthError?: unknown } | null, answer: JsonObject | false) => void,
  ): void {
    authenticator.authenticate(this.strategy, { ...options, session: false }, outcome)(request, response, outcome);
  }
}

export interface CodeExchange {
  readonly client: GuardedClient;
  readonly signal: AbortSignal;
  /** Whether a refusal concerns the client id or secret. */
  readonly blamesData: (answer: ProviderAnswer) => boolean;
}

const requestToken = callbackify(
  async (url: string, form: Readonly<Record<string, string>>, { client, signal, blamesData }: CodeExchange) => {
    const answer = await client.post(url, form, signal);
    if (answer.status < 400) return answer.json;
    throw blamesData(answer)
      ? misconfigured("The provider does not accept the client id or its secret.")
      : logInFailed("The provider refused the code.");
  },
);

/** Error codes for a cancelled log-in. Apple has its own. */
const cancelled = new Set(["access_denied", "user_cancelled_authorize"]);

const maxCodeLength = 4_096;

/** The authorization code of a callback. 324 for an error, a wrong state or a missing code. */
export function codeOf(parameters: CallbackParameters, state: string): string {
  if (parameters.get("state") !== state) throw logInFailed("The callback belongs to another log-in.");
  const error = parameters.get("error") ?? parameters.get("error_code");
  if (error !== undefined)
    throw logInFailed(
      cancelled.has(error) ? "The user cancelled the log-in at the provider." : "The provider refused the log-in.",
    );
  const code = parameters.get("code") ?? "";
  if (code === "" || code.length > maxCodeLength) throw logInFailed("The callback has no code.");
  return code;
}

/**
 * The state of one log-in. A string passed to the callback of `verify` is sent as `code_verifier`. Strategies check the
 * number of parameters, so all are declared.
 */
const stateOfCaller = (state: string, codeVerifier: string | null): StateStore => ({
  store: (_request, _verifier, _state, _meta, callback) =>
    callback(new Error("The state must be passed with every request.")),
  verify: (_request, received, _meta, callback) =>
    received === state ? callback(null, codeVerifier ?? true) : callback(null, false, {}),
});
