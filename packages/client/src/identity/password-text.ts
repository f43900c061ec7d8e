import { md5 } from "../crypto/md5.ts";
import type { LogInFields } from "../logins/log-in-options.ts";

const digest = /^[0-9a-f]{32}$/i;

/** A password that the server knows: in the form of a log-in. */
export function knownPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  return passwordHash === "none" ? password : md5(password);
}

/** A new one: as it is, so that the server can judge it. One that looks like a digest would be taken for one. */
export function newPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  return passwordHash !== "none" && digest.test(password) ? md5(password) : password;
}
