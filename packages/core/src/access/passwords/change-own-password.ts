import { ServiceError } from "@sallyport/storage";
import { sendChangeNotice, type MailLanguage, type MailServices } from "../../mail/index.ts";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { sentForms } from "../accounts/passwords.ts";
import type { Gate } from "../gate/gate.ts";
import type { ObjectServices } from "../../objects/index.ts";
import type { PasswordServices, PasswordSettings } from "./password-policy.ts";
import type { PasswordMessages } from "../channels/password-messages.ts";
import { formerSecrets, replacePassword } from "./replace-password.ts";

/** Both passwords are plain text or client hashes, not blank and within the maximum length. */
export interface PasswordChangeInput {
  readonly oldPassword: string;
  readonly newPassword: string;
  /** Language of the notice. `null`: the configured default. */
  readonly language: MailLanguage | null;
}

export interface PasswordChangeResult {
  /** The change takes effect after confirmation. */
  readonly confirmationRequired?: true;
}

/** Services of password changes. */
export interface ChangePasswordServices extends ObjectServices, PasswordServices, Pick<MailServices, "outbox"> {
  readonly gate: Gate;
  readonly passwordMessages: PasswordMessages;
  readonly settings: MailServices["settings"] & PasswordSettings;
}

/** Changes the password of a database user. In one transaction, ends the user's other sessions and keeps the current one. */
export async function changeOwnPassword(
  context: SessionContext & Uses<Pick<ChangePasswordServices, "gate" | "outbox" | "passwordPolicy" | "settings">>,
  { oldPassword, newPassword, language }: PasswordChangeInput,
): Promise<PasswordChangeResult> {
  const { gate, passwordPolicy: policy, settings } = context.services;
  const {
    digests,
    policy: { clientHash },
  } = context.database;
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
      const former = () => formerSecrets(context.r, userId, settings);
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
      if (!(await replacePassword(r, account, { secret, except: context.sessionDigest }, settings)))
        throw new ServiceError(339);
      if (!(await r.sessions.renew(context.sessionDigest, account.secretVersion + 1)))
        throw new ServiceError(context.sessionEndedCode);
      await r.audit.append(sessionEvent(context, { type: "password.changed" }));
    },
  });
  await sendChangeNotice(context, account, { kind: "passwordChanged" }, language);
  return {};
}
