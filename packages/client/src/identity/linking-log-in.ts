import type { LogInFields, PlainLogInOptions } from "../logins/log-in-options.ts";

/** What a log-in takes that binds an account of a provider. */
export interface LinkingFields extends LogInFields {
  /** What the log-in with the provider has answered. Only success spends it. */
  readonly dfUuid: string;
}

/**
 * The log-in of a database user that binds an account of a provider to him (`POST /v1/extLogin`), for `client.logIn`. 324 when the `dfUuid` is not
 * good any more. It is not repeated when the session is over: log in with the provider then.
 */
export function linkingLogIn({ dfUuid, ...fields }: LinkingFields): PlainLogInOptions {
  return { ...fields, mode: "session", door: { path: "/v1/extLogin", fields: { dfUuid }, once: true } };
}
