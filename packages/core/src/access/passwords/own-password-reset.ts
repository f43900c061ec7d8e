import { type Account, loginNameOf, type RecordValue, type Repositories } from "../../storage/index.ts";
import { passwordSubject, shortestPassword } from "./password-policy.ts";
import type { PasswordReset, ResettableAccount } from "./password-reset.ts";
import type { ReplacePassword } from "./replace-password.ts";

export class OwnPasswordReset implements PasswordReset {
  readonly event = "password.reset";
  readonly shortest = shortestPassword;

  constructor(private readonly passwords: ReplacePassword) {}

  async isPossible(): Promise<boolean> {
    return true;
  }

  async named(r: Repositories, user: string): Promise<ResettableAccount | null> {
    const { account } = await r.accounts.find({ realm: "database", loginName: loginNameOf(user) }, []);
    return this.resettable(account);
  }

  async meant(r: Repositories, payload: RecordValue): Promise<ResettableAccount | null> {
    const { userId, secretVersion } = payload as { readonly userId?: string; readonly secretVersion: number };
    if (userId === undefined) return null;
    const { account } = await r.accounts.find({ id: userId }, []);
    return account?.secretVersion === secretVersion ? this.resettable(account) : null;
  }

  private resettable(account: Account | null): ResettableAccount | null {
    if (account === null || account.disabled) return null;
    const { userId, loginName, email, secret, secretVersion } = account;
    const replace = (r: Repositories, fresh: string) => this.passwords.run(r, account, { secret: fresh });
    const payload = { userId, secretVersion };
    return { subject: passwordSubject(userId), loginName, email, secret, userId, payload, replace };
  }
}
