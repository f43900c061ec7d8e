import { loginNameOf, ServiceError } from "@sallyport/storage";
import { acceptMailAddress } from "../../mail/index.ts";
import { isUserName } from "../../objects/index.ts";
import { type AdministrationContext, changesBetween, type Uses } from "../../request/index.ts";
import type { AccountReference } from "../accounts/account-reference.ts";
import type { NewPassword } from "../accounts/passwords.ts";
import { createAccount } from "../accounts/create-user.ts";
import { requireMappedUser } from "./change-custom-user.ts";
import type { PasswordServices } from "../passwords/password-policy.ts";

export interface AddCustomUserInput extends NewPassword {
  readonly name: string;
  /** The mapped database user. */
  readonly user: AccountReference;
  readonly email: string | null;
}

/** Returns the account id. Unknown user: 304. Refused password: 320. Taken or confusable name, or invalid address: 307. */
export async function addCustomUser(
  context: AdministrationContext & Uses<PasswordServices>,
  { name, user, email: address, password, passwordDigest }: AddCustomUserInput,
): Promise<string> {
  const { database, r: outside, unit, eventOf } = context;
  if (!isUserName(name))
    throw new ServiceError(307, { detail: "The name of a custom user must have 1 to 1024 characters." });
  const email = address === null ? null : acceptMailAddress(address);
  const loginName = loginNameOf(name);
  const { clientHash } = database.policy;
  const userId = await requireMappedUser(outside, user);
  const secret = { password, passwordDigest };
  context.services.passwordPolicy.accept(secret, clientHash, context.services.settings.customPasswordMinLength);
  // Hashing inside the transaction holds the connection. Custom users are added too rarely for this to matter.
  return unit.transaction(async (r) => {
    const account = { realm: "custom", loginName, ...secret, userId, email, clientHash } as const;
    const id = await createAccount(context, r.accounts, account);
    const changes = changesBetween(null, { name: loginName, userId, email });
    await r.audit.append(eventOf({ type: "customUser.created", subjectId: userId, changes }));
    return id;
  });
}
