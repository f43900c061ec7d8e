import { loginNameOf } from "../accounts/login-name.ts";
import type { ObjectHooks } from "../hooks/object-hooks.ts";
import type { OneTimePayload } from "../one-time/one-time-repository.ts";
import type { PasswordReset, ResettableAccount } from "../passwords/password-reset.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import { unattendedPrincipal } from "../rights/unattended-principal.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { CustomAccount } from "./custom-account.ts";
import { isAskedElsewhere } from "./is-asked-elsewhere.ts";
import { customSubject, type SettleCustomPassword } from "./settle-custom-password.ts";

/** Resets of custom users. Who could not come in with a new password, because the user he is mapped to is kept out, is nobody here. */
export class CustomPasswordReset implements PasswordReset {
  readonly event = "customPassword.reset";

  constructor(
    private readonly settle: SettleCustomPassword,
    private readonly hooks: ObjectHooks,
    readonly shortest: number,
  ) {}

  async isPossible(context: AppKeyContext): Promise<boolean> {
    return !(await isAskedElsewhere(this.hooks, { ...context, principal: unattendedPrincipal }));
  }

  async named(r: Repositories, user: string): Promise<ResettableAccount | null> {
    const { account } = await r.customAccounts.forProof(loginNameOf(user));
    return this.resettable(r, account);
  }

  async meant(r: Repositories, payload: OneTimePayload): Promise<ResettableAccount | null> {
    const { customAccountId, secretVersion } = payload as {
      readonly customAccountId?: string;
      readonly secretVersion: number;
    };
    if (customAccountId === undefined) return null;
    const account = await r.customAccounts.find(customAccountId);
    return account?.secretVersion === secretVersion ? this.resettable(r, account) : null;
  }

  private async resettable(r: Repositories, account: CustomAccount | null): Promise<ResettableAccount | null> {
    if (account === null || account.disabled) return null;
    const { account: mapped } = await r.accounts.byUser(account.userId, []);
    if (mapped === null || mapped.disabled) return null;
    const { id: customAccountId, loginName, email, secret, userId, secretVersion } = account;
    const payload = { customAccountId, secretVersion };
    return {
      subject: customSubject(customAccountId),
      loginName,
      email,
      secret,
      userId,
      payload,
      replace: (inside, fresh) => this.replace(inside, account, fresh),
    };
  }

  private async replace(r: Repositories, account: CustomAccount, secret: string): Promise<boolean> {
    if ((await r.customAccounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
    await this.settle.run(r, account);
    return true;
  }
}
