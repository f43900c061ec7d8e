import type { Digests } from "../digests/digests.ts";
import type { Account } from "./account.ts";
import type { AccountRepository } from "./account-repository.ts";
import { type ClientHash, clientPassword } from "./client-password.ts";
import { loginNameOf } from "./login-name.ts";
import type { PasswordHasher } from "./password-hasher.ts";

/** Proves that a name and a password belong together. Unknown and disabled users cost and answer the same as a wrong password. */
export class VerifyPassword {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
  ) {}

  /** Looks the account up; what comes back checks the password and gives the account, or `null`. */
  async prepare(
    accounts: AccountRepository,
    { user, pass, clientHash }: { user: string; pass: string; clientHash: ClientHash },
  ): Promise<() => Promise<Account | null>> {
    const account = await accounts.byLoginName(loginNameOf(user));
    const usable = account === null || account.disabled ? null : account;
    return async () => {
      const proven = await this.hasher.verify(usable?.secret ?? null, clientPassword(pass, clientHash, this.digests));
      return proven ? usable : null;
    };
  }
}
