import { type Digests, ServiceError } from "@sallyport/storage";
import type { ChangeNotice } from "../../mail/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import { sentForms } from "../accounts/client-password.ts";
import type { Gate } from "../gate/gate.ts";
import type { PasswordChange, PasswordChangeInput, PasswordChangeResult } from "./change-password.ts";
import type { PasswordPolicy } from "./password-policy.ts";
import type { ReplacePassword } from "./replace-password.ts";

export interface ChangeOwnPasswordParts {
  readonly gate: Gate;
  readonly digests: Digests;
  readonly policy: PasswordPolicy;
  readonly replace: ReplacePassword;
  readonly notice: ChangeNotice;
}

/** Changes the password of a database user. In one transaction, ends the user's other sessions and keeps the current one. */
export class ChangeOwnPassword implements PasswordChange {
  constructor(private readonly parts: ChangeOwnPasswordParts) {}

  async changePassword(
    context: SessionContext,
    { oldPassword, newPassword, language }: PasswordChangeInput,
  ): Promise<PasswordChangeResult> {
    const { gate, digests, policy, replace, notice } = this.parts;
    const { clientHash } = context.database.policy;
    const password = policy.accept({ sent: newPassword }, clientHash);
    const old = sentForms(oldPassword, clientHash, digests);
    if (old.includes(password)) throw new ServiceError(321);
    const { userId } = context.session;
    const { account } = await context.r.accounts.find({ id: userId }, []);
    if (account === null) throw new ServiceError(context.sessionEndedCode);
    await gate.guard(context, {
      userKey: account.loginName,
      refusal: { code: 339, type: "password.refused" },
      userId,
      prove: () => {
        const former = () => replace.former(context.r, userId);
        return policy.proveChange(context, {
          secret: account.secret,
          old,
          password,
          former,
          refused: "password.refused",
        });
      },
      act: async (r, secret) => {
        // A concurrent change has made the old password invalid.
        if (!(await replace.replacePassword(r, account, { secret, except: context.sessionDigest })))
          throw new ServiceError(339);
        if (!(await r.sessions.renew(context.sessionDigest, account.secretVersion + 1)))
          throw new ServiceError(context.sessionEndedCode);
        await r.audit.append(sessionEvent(context, { type: "password.changed" }));
      },
    });
    await notice.send(context, account, { kind: "passwordChanged" }, language);
    return {};
  }
}
