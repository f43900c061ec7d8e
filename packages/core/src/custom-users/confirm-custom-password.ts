import { sessionEvent } from "../audit/audit-events.ts";
import type { Digest, Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { Gate } from "../gate/gate.ts";
import type { MailLanguage } from "../mail/mail.ts";
import type { PasswordNotice } from "../passwords/replace-password.ts";
import type { SessionContext } from "../request/request-context.ts";
import { codeDigest } from "./change-custom-password.ts";
import { customUserKey } from "./custom-account-repository.ts";
import type { SettleCustomPassword } from "./custom-password-reset.ts";

export interface ConfirmCustomPasswordInput {
  readonly confirmationCode: string;
  readonly language: MailLanguage | null;
}

export interface ConfirmCustomPasswordParts {
  readonly gate: Gate;
  readonly digests: Digests;
  readonly settle: SettleCustomPassword;
  readonly notice: PasswordNotice;
}

/** Undoes a transaction in which something was only tried. */
class Tried extends Error {}

/**
 * Makes the new password of a custom user the current one by the code that was mailed, else 326: his other sessions end and this one goes on, in one
 * transaction with the change.
 */
export class ConfirmCustomPassword {
  constructor(private readonly parts: ConfirmCustomPasswordParts) {}

  async run(context: SessionContext, { confirmationCode, language }: ConfirmCustomPasswordInput): Promise<void> {
    const { gate, digests, settle, notice } = this.parts;
    const { userId, entrance } = context.session;
    // Nothing waits for those who came in otherwise.
    if (entrance.kind !== "custom") throw new ServiceError(326);
    const account = await context.r.customAccounts.find(entrance.accountId);
    if (account === null) throw new ServiceError(context.overCode);
    const code = codeDigest(digests, account.id, confirmationCode);
    await gate.guard(context, {
      userKey: customUserKey(account.loginName),
      refusal: { code: 326, type: "customPassword.refused" },
      userId,
      prove: async () => ((await this.isRight(context, account.id, code)) ? account : null),
      act: async (r) => {
        const version = await r.customAccounts.confirm(account.id, code);
        // Somebody else was faster with the same code.
        if (version === null) throw new ServiceError(326);
        await settle.run(r, account, context.sessionDigest);
        if (!(await r.sessions.renew(context.sessionDigest, version))) throw new ServiceError(context.overCode);
        await r.audit.append(sessionEvent(context, { type: "customPassword.changed" }));
      },
    });
    await notice.send(context, account, language);
  }

  /** A wrong code has used up a try, whatever becomes of the rest; a right one is left for the transaction that changes everything. */
  private async isRight({ database }: SessionContext, accountId: string, code: Digest): Promise<boolean> {
    try {
      await database.storage.transaction(async (r) => {
        if ((await r.customAccounts.confirm(accountId, code)) !== null) throw new Tried();
      });
      return false;
    } catch (error) {
      if (error instanceof Tried) return true;
      throw error;
    }
  }
}
