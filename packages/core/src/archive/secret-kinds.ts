import { formerPasswordsKind, secondFactorKind } from "../access/index.ts";
import { providerEntryKind } from "../identities/index.ts";
import { keyRingKind } from "../keys/index.ts";
import { identityLinkKind } from "@sallyport/storage";

/** Record kinds that an archive can omit: credentials, and the keys of the server. */
export const secretKinds: Readonly<Record<"credentials" | "keys", readonly string[]>> = {
  credentials: [formerPasswordsKind, identityLinkKind, providerEntryKind, secondFactorKind],
  keys: [keyRingKind],
};
