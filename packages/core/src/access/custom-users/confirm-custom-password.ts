import type { Digests } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { MailLanguage } from "../../mail/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import type { Gate } from "../gate/gate.ts";
import type { PasswordNotice } from "../passwords/replace-password.ts";
import { codeDigest } from "./change-custom-password.ts";
import { customUserKey } from "./custom-accounts.ts";
import type { SettleCustomPassword } from "./custom-password-reset.ts";
import { PendingPasswords } from "./pending-passwords.ts";

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
    const { account } = await context.r.accounts.find({ id: entrance.accountId }, []);
    if (account === null) throw new ServiceError(context.overCode);
    const { repositories } = context.database.storage;
    const code = codeDigest(digests, account.id, confirmationCode);
    await gate.guard(context, {
      userKey: customUserKey(account.loginName),
      refusal: { code: 326, type: "customPassword.refused" },
      userId,
      prove: async () => ((await new PendingPasswords(repositories).tryCode(account.id, code)) ? account : null),
      act: async (r) => {
        const version = await new PendingPasswords(r).confirm(account.id, code);
        // Somebody else was faster with the same code.
        if (version === null) throw new ServiceError(326);
        await settle.run(r, account, context.sessionDigest);
        if (!(await r.sessions.renew(context.sessionDigest, version))) throw new ServiceError(context.overCode);
        await r.audit.append(sessionEvent(context, { type: "customPassword.changed" }));
      },
    });
    await notice.send(context, account, language);
  }
}
