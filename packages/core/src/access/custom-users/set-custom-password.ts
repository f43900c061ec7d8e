import type { AdministrationContext } from "../../request/index.ts";
import type { PasswordHasher } from "../accounts/password-hasher.ts";
import type { PasswordPolicy } from "../passwords/password-policy.ts";
import { changeCustomUser } from "./change-custom-user.ts";
import type { SettleCustomPassword } from "./custom-password-reset.ts";

export interface SetCustomPasswordInput {
  readonly name: string;
  /** Plain, or as clients send it. */
  readonly password: string;
}

/** Gives a custom user another password without the former one. */
export class SetCustomPassword {
  /** @param shortest characters of a custom user's password at least */
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly settle: SettleCustomPassword,
    private readonly shortest: number,
  ) {}

  /** How many sessions ended. A password that custom users could not choose: 320. Other refusals: see `changeCustomUser`. */
  async setCustomPassword(context: AdministrationContext, { name, password }: SetCustomPasswordInput): Promise<number> {
    const accepted = this.policy.accept(
      { pass: password, clientHash: context.database.policy.clientHash },
      this.shortest,
    );
    const secret = await this.hasher.hash(accepted);
    return changeCustomUser(context, name, {
      type: "customPassword.changed",
      endsSessions: true,
      make: async (r, account) => {
        if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
        await this.settle.keep(r, account);
        return true;
      },
    });
  }
}
