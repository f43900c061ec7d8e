import type { Digest } from "../../digests/index.ts";
import type { ObjectHooks } from "../../objects/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import {
  type Account,
  loginNameOf,
  type RecordValue,
  type Repositories,
  unattendedPrincipal,
} from "../../storage/index.ts";
import type { PasswordReset, ResettableAccount } from "../passwords/password-reset.ts";
import type { ReplacePassword } from "../passwords/replace-password.ts";
import { isAskedElsewhere } from "./ask-authenticator.ts";
import { customSubject, findCustomAccount } from "./custom-accounts.ts";

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
    return this.resettable(r, await findCustomAccount(r, loginNameOf(user)));
  }

  async meant(r: Repositories, payload: RecordValue): Promise<ResettableAccount | null> {
    const { customAccountId, secretVersion } = payload as {
      readonly customAccountId?: string;
      readonly secretVersion: number;
    };
    if (customAccountId === undefined) return null;
    const { account } = await r.accounts.find({ id: customAccountId }, []);
    return account?.secretVersion === secretVersion ? this.resettable(r, account) : null;
  }

  private async resettable(r: Repositories, account: Account | null): Promise<ResettableAccount | null> {
    if (account === null || account.disabled) return null;
    const { account: mapped } = await r.accounts.find({ id: account.userId }, []);
    if (mapped === null || mapped.disabled) return null;
    const { id: customAccountId, loginName, email, secret, userId, secretVersion } = account;
    const payload = { customAccountId, secretVersion };
    const replace = (inside: Repositories, fresh: string) => this.replace(inside, account, fresh);
    return { subject: customSubject(customAccountId), loginName, email, secret, userId, payload, replace };
  }

  private async replace(r: Repositories, account: Account, secret: string): Promise<boolean> {
    if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
    await this.settle.run(r, account);
    return true;
  }
}

/** Does what has to happen when a custom user has another password; belongs into the transaction that gives it to him. */
export class SettleCustomPassword {
  constructor(private readonly passwords: Pick<ReplacePassword, "former" | "retire">) {}

  former(r: Repositories, { id }: Account): Promise<readonly string[]> {
    return this.passwords.former(r, customSubject(id));
  }

  /** `account`: as it was before. Ends all its sessions, but for one that is excepted. */
  async run(r: Repositories, account: Account, except?: Digest): Promise<void> {
    await this.keep(r, account);
    await r.sessions.end(
      except === undefined ? { customAccountId: account.id } : { customAccountId: account.id, except },
    );
  }

  /** The same, where sessions are ended by somebody else. */
  keep(r: Repositories, { id, secret }: Account): Promise<void> {
    return this.passwords.retire(r, customSubject(id), secret);
  }
}
