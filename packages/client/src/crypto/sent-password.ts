import type { LogInFields } from "../options.ts";
import { md5 } from "./md5.ts";

const digest = /^[0-9a-f]{32}$/i;

/** A typed password as a log-in sends it: the MD5 of its NFC form, or that form. Keyboards differ in how they compose letters. */
export function sentPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  const text = password.normalize("NFC");
  return passwordHash === "none" ? text : md5(text);
}

/** A new password in plain text, so that the server can check it. Text that looks like an MD5 is hashed. */
export function sentNewPassword(password: string, passwordHash: LogInFields["passwordHash"]): string {
  const text = password.normalize("NFC");
  return passwordHash !== "none" && digest.test(text) ? md5(text) : text;
}
