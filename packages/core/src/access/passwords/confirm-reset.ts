import { type Account, type Digest, type Digests, type RecordValue, ServiceError } from "@sallyport/storage";
import type { ChangeNotice, MailLanguage } from "../../mail/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import type { PasswordHasher } from "../accounts/verify-password.ts";
import { isPasswordText, type PasswordPolicy } from "./password-policy.ts";
import { accountOfReset, type PasswordReset, type PasswordResets, passwordResets } from "./password-reset.ts";
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
  readonly passwords: ReplacePassword;
  readonly resets: PasswordResets;
  readonly notice: ChangeNotice;
}

interface FoundReset {
  readonly reset: PasswordReset;
  readonly account: Account;
}

/** Sets a new password with a mailed token and ends all sessions. Invalid token: 328. Refused password: 320, which does not consume the token. */
export class ConfirmReset {
  constructor(private readonly parts: ConfirmResetParts) {}

  async confirmReset(
    context: AppKeyContext,
    { resetPasswordToken, newPassword, language }: ConfirmResetInput,
  ): Promise<void> {
    const { digests, hasher, policy, passwords, notice } = this.parts;
    const { r, database } = context;
    const digest = digests.sha256(resetPasswordToken);
    const [stored] = await r.records.get(passwordResets, [digest]);
    const found = stored === undefined ? null : await this.find(context, stored.value);
    if (found === null) return this.refuse(context);
    const { reset, account } = found;
    if (!isPasswordText(newPassword)) throw new ServiceError(320);
    const password = policy.accept({ sent: newPassword }, database.policy.clientHash, reset.minLength);
    await policy.acceptUnused([account.secret, ...(await passwords.former(r, account.id))], password);
    const secret = await hasher.hash(password);
    if (!(await this.consume(context, digest, { ...found, secret }))) return this.refuse(context);
    await notice.send(context, account, { kind: "passwordChanged" }, language);
  }

  /** Of concurrent requests with one token, one succeeds. */
  private consume(
    context: AppKeyContext,
    digest: Digest,
    { reset, account, secret }: FoundReset & { readonly secret: string },
  ): Promise<boolean> {
    return context.database.storage.transaction(async (r) => {
      if ((await r.records.take(passwordResets, digest)) === null) return false;
      if (!(await this.parts.passwords.replacePassword(r, account, { secret }))) return false;
      await r.audit.append(logInEvent(context, { type: reset.event, outcome: 0, userId: account.userId }));
      return true;
    });
  }

  /** Returns the account of the token, or `null` if the token is no longer valid. */
  private async find(context: AppKeyContext, payload: RecordValue): Promise<FoundReset | null> {
    const { own, custom } = this.parts.resets;
    for (const reset of [own, custom]) {
      const account = await accountOfReset(context.r, reset, payload);
      if (account !== null) return (await reset.isPossible(context)) ? { reset, account } : null;
    }
    return null;
  }

  private async refuse(context: AppKeyContext): Promise<never> {
    const { r, appKey, origin } = context;
    await r.audit.tally(
      `reset refused ${appKey.id} ${origin.network}`,
      logInEvent(context, { type: "password.reset.refused", outcome: 328 }),
    );
    throw new ServiceError(328);
  }
}
