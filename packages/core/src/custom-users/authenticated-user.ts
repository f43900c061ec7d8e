import { loginNameOf } from "../accounts/login-name.ts";
import { ServiceError } from "../errors/service-error.ts";
import { mailAddress } from "../mail/mail-address.ts";
import { isObjectId, type ObjectId } from "../objects/object-id.ts";
import type { JsonValue } from "../objects/stored-object.ts";
import { isStorableText } from "../storage/storable-text.ts";

/** Whom the hook takes somebody for. */
export interface AuthenticatedUser {
  readonly userId: ObjectId;
  /** Unicode NFC. */
  readonly loginName: string;
  readonly email: string | null;
}

const longestName = 1_024;
const known: ReadonlySet<string> = new Set(["userId", "name", "email"]);

/** Reads what the hook `xRestApi_Authenticate` gave: `null` for somebody it refuses. The sandbox is not believed: what is neither is 710. */
export function authenticatedUser(given: JsonValue | undefined, user: string): AuthenticatedUser | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "object" || Array.isArray(given)) throw unusable("is neither null nor a user");
  const members = new Map(Object.entries(given as { readonly [name: string]: JsonValue }));
  for (const name of members.keys()) if (!known.has(name)) throw unusable("has members that a user does not have");
  const [userId, name, email] = [members.get("userId"), members.get("name") ?? user, members.get("email") ?? null];
  if (typeof userId !== "string" || !isObjectId(userId))
    throw unusable("names no user: userId is the ~ObjectID of one");
  if (typeof name !== "string" || name.trim() === "" || name.length > longestName || !isStorableText(name))
    throw unusable("has a name that is none");
  const address = typeof email === "string" ? mailAddress(email) : null;
  if (email !== null && address === null) throw unusable("has an e-mail address that is none");
  return { userId, loginName: loginNameOf(name), email: address };
}

/** The hook can be neither believed nor taken for a refusal. */
export function unusable(reason: string): ServiceError {
  return new ServiceError(710, { detail: `What the hook xRestApi_Authenticate gave ${reason}.` });
}
