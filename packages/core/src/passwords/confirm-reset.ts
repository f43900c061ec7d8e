import type { Account } from "../accounts/account.ts";
import type { PasswordHasher } from "../accounts/password-hasher.ts";
import { entryEvent } from "../audit/entry-event.ts";
import type { Digest } from "../digests/digest.ts";
import type { Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { OneTimePayload } from "../one-time/one-time-repository.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import { isPasswordText } from "./password-text.ts";
import type { PasswordNotice } from "./password-notice.ts";
import type { PasswordPolicy } from "./password-policy.ts";
import { passwordSubject } from "./password-subject.ts";
import type { ReplacePassword } from "./replace-password.ts";

export interface ConfirmResetInput {
  readonly resetPasswordToken: string;
  readonly newPassword: string;
  readonly language: MailLanguage | null;
}

export interface ConfirmResetParts {
  readonly hasher: PasswordHasher;
  readonly digests: Digests;
  readonly policy: PasswordPolicy;
  readonly replace: ReplacePassword;
  readonly notice: PasswordNotice;
}

/** Sets a new password by the token of a mail: 328 unless that is good, 320 for a password that is not, which does not spend the token. Ends all sessions. */
export class ConfirmReset {
  constructor(private readonly parts: ConfirmResetParts) {}

  async run(context: AppKeyContext, { resetPasswordToken, newPassword, language }: ConfirmResetInput): Promise<void> {
    const { digests, hasher, policy, replace, notice } = this.parts;
    const { r, database } = context;
    const digest = digests.sha256(resetPasswordToken);
    const account = await this.accountOf(context, await r.oneTime.read("passwordReset", digest));
    if (account === null) return this.refuse(context);
    if (!isPasswordText(newPassword)) throw new ServiceError(320);
    const password = policy.accept({ pass: newPassword, clientHash: database.policy.clientHash });
    const subject = passwordSubject(account.userId);
    await policy.acceptUnused([account.secret, ...(await replace.former(r, subject))], password);
    const secret = await hasher.hash(password);
    if (!(await this.spend(context, digest, { account, secret }))) return this.refuse(context);
    await notice.send(context, account, language);
  }

  /** Of all who try with one token at once, one succeeds. */
  private spend(context: AppKeyContext, digest: Digest, { account, secret }: { account: Account; secret: string }): Promise<boolean> {
    return context.database.storage.transaction(async (r) => {
      if ((await r.oneTime.consume("passwordReset", digest)) === null) return false;
      if (!(await this.parts.replace.run(r, account, { secret }))) return false;
      await r.audit.append(entryEvent(context, { type: "password.reset", outcome: 0, userId: account.userId }));
      return true;
    });
  }

  /** Whose password the token sets; `null` where it sets none any more. */
  private async accountOf({ r }: AppKeyContext, payload: OneTimePayload | null): Promise<Account | null> {
    if (payload === null) return null;
    const { userId, secretVersion } = payload as { readonly userId: string; readonly secretVersion: number };
    const { account } = await r.accounts.byUser(userId, []);
    return account !== null && !account.disabled && account.secretVersion === secretVersion ? account : null;
  }

  private async refuse(context: AppKeyContext): Promise<never> {
    const { r, appKey, origin } = context;
    await r.audit.tally(`reset refused ${appKey.id} ${origin.network}`, entryEvent(context, { type: "password.reset.refused", outcome: 328 }));
    throw new ServiceError(328);
  }
}
