import { md5 } from "../crypto/md5.ts";
import type { LogInFields } from "./log-in-options.ts";

/** The JSON of a log-in. */
export function logInBody(
  { user, password, passwordHash, appNames, device, twoFactorToken, enrolling }: LogInFields,
  more?: object,
): string {
  const pass = passwordHash === "none" ? password : md5(password);
  return JSON.stringify({ user, pass, appNames, device, "2faToken": twoFactorToken, "2faEnrol": enrolling, ...more });
}
