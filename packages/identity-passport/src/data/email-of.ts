import type { JsonObject } from "../http/strict-json.ts";
import { profileText } from "./profile-text.ts";

/** How providers say that an address is its owner's; Apple says it in a text. */
const vouched = new Set<unknown>([undefined, true, "true"]);

/** The e-mail address of an id token; empty if the provider itself does not vouch for it. Not all of them say whether they do. */
export function emailOf({ email, email_verified: verified }: JsonObject): string {
  return vouched.has(verified) ? profileText(email) : "";
}
