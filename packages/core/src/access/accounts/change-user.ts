import { ServiceError } from "../../errors/index.ts";
import { acceptMailAddress } from "../../mail/index.ts";
import { type AdministrationContext, operatorEvent } from "../../request/index.ts";
import { type Account, loginNameOf, type Repositories } from "../../storage/index.ts";
import { passwordSubject } from "../passwords/password-policy.ts";
import { passwordResets } from "../passwords/password-reset.ts";

/** The account with this log-in name. An unknown name: 304. */
export async function requireAccount({ accounts }: Pick<Repositories, "accounts">, name: string): Promise<Account> {
  const { account } = await accounts.find({ realm: "database", loginName: loginNameOf(name) }, []);
  if (account === null) throw noSuchUser(name);
  return account;
}

/** Sets the address for a user's mail, or none, and revokes password resets: whoever reads the former mailbox may be the reason. An unknown name: 304. */
export async function setUserEmail(
  { unit }: AdministrationContext,
  { name, email }: { readonly name: string; readonly email: string | null },
): Promise<void> {
  const address = email === null ? null : acceptMailAddress(email);
  await unit.transaction(async (r) => {
    const { userId } = await requireAccount(r, name);
    await r.records.remove(passwordResets, { owner: passwordSubject(userId) });
    if (!(await r.accounts.change(userId, { email: address }))) throw noSuchUser(name);
    await r.audit.append(operatorEvent({ type: "account.changed", userId }));
  });
}

/** Disables a user, which ends all sessions of the user, or enables one again; how many sessions ended. An unknown name: 304. */
export async function setUserDisabled(
  { unit }: AdministrationContext,
  { name, disabled }: { readonly name: string; readonly disabled: boolean },
): Promise<number> {
  return unit.transaction(async (r) => {
    const { userId } = await requireAccount(r, name);
    if (!(await r.accounts.change(userId, { disabled }))) throw noSuchUser(name);
    await r.audit.append(operatorEvent({ type: disabled ? "account.disabled" : "account.enabled", userId }));
    return disabled ? r.sessions.end({ userId }) : 0;
  });
}

function noSuchUser(name: string): ServiceError {
  return new ServiceError(304, { detail: `There is no user "${name}".` });
}
