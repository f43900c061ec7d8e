import { providerEntryKind } from "../identities/provider-entries.ts";
import { keyRingKind } from "../keys/key-store.ts";
import { formerPasswordsKind } from "../passwords/former-passwords.ts";
import { secondFactorKind } from "../second-factors/second-factors.ts";

/** Kinds of records that an archive can be without: what opens the database, and the keys of the server. */
export const secretKinds: Readonly<Record<"credentials" | "keys", readonly string[]>> = {
  credentials: [formerPasswordsKind, providerEntryKind, secondFactorKind],
  keys: [keyRingKind],
};
