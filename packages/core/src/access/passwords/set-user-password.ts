import { ServiceError } from "../../errors/index.ts";
import { type AdministrationContext, operatorEvent } from "../../request/index.ts";
import { requireAccount } from "../accounts/change-user.ts";
import type { PasswordHasher } from "../accounts/password-hasher.ts";
import type { PasswordPolicy } from "./password-policy.ts";
import type { ReplacePassword } from "./replace-password.ts";

export interface SetUserPasswordInput {
  readonly name: string;
  /** Plain, or as clients send it. */
  readonly password: string;
}

/** Gives a user another password without the former one, which ends all sessions of the user. */
export class SetUserPassword {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly replace: ReplacePassword,
  ) {}

  /** An unknown name: 304; a password that users could not choose: 320; somebody else changes it at the same time: 713. */
  async setUserPassword(
    { database, r: outside, unit }: AdministrationContext,
    { name, password }: SetUserPasswordInput,
  ): Promise<void> {
    const account = await requireAccount(outside, name);
    const accepted = this.policy.accept({ pass: password, clientHash: database.policy.clientHash });
    const secret = await this.hasher.hash(accepted);
    await unit.transaction(async (r) => {
      if (!(await this.replace.run(r, account, { secret }))) {
        const detail = `The password of the user "${name}" was changed at the same moment. Nothing was done.`;
        throw new ServiceError(713, { detail });
      }
      await r.audit.append(operatorEvent({ type: "password.changed", userId: account.userId }));
    });
  }
}
