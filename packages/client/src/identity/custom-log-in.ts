import type { LogInFields, PlainLogInOptions } from "../logins/log-in-options.ts";

/** The log-in of somebody who is no database user (`POST /v1/auth/df`), for `client.logIn`. */
export function customLogIn(fields: LogInFields): PlainLogInOptions {
  return { ...fields, mode: "session", door: { path: "/v1/auth/df" } };
}
