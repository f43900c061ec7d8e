/** What is asked of a strategy: the address for the browser, or the exchange of a code. */
export interface StrategyRequest {
  readonly query: { readonly code?: string; readonly state?: string };
}

/** What a strategy of Passport reports to: Passport sets these on the strategy before it runs it. */
export interface StrategyOutcomes {
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
export interface StateStore {
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
