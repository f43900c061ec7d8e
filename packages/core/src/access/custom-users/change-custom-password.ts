import { type Account, type Digest, type Digests, type RandomSource, ServiceError } from "@sallyport/storage";
import type { ChangeNotice, MailLanguage, QueueMail } from "../../mail/index.ts";
import type { ObjectHooks } from "../../objects/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import { sentForms } from "../accounts/client-password.ts";
import type { Gate } from "../gate/gate.ts";
import { customUserKey } from "../gate/user-keys.ts";
import type { PasswordChange, PasswordChangeInput, PasswordChangeResult } from "../passwords/change-password.ts";
import type { PasswordPolicy } from "../passwords/password-policy.ts";
import type { ReplacePassword } from "../passwords/replace-password.ts";
import { hasAuthenticateHook } from "./authenticate-by-hook.ts";
import { PendingPasswords } from "./custom-accounts.ts";

const minutes = 10;
const tries = 5;

export interface ChangeCustomPasswordParts {
  readonly gate: Gate;
  readonly digests: Digests;
  readonly random: RandomSource;
  readonly policy: PasswordPolicy;
  /** Minimum length of a plain-text password of a custom user, in characters. */
  readonly minLength: number;
  readonly replace: ReplacePassword;
  readonly queueMail: QueueMail;
  /** Default language for requests without one. */
  readonly language: MailLanguage;
  readonly hooks: ObjectHooks;
}

/**
 * Stores a pending password of a custom user and mails the code that confirms it. The current password and the sessions
 * stay unchanged. 339 if a hook authenticates custom users. 712 without an e-mail address or without mail.
 */
export class ChangeCustomPassword implements PasswordChange {
  constructor(private readonly parts: ChangeCustomPasswordParts) {}

  async changePassword(
    context: SessionContext,
    { oldPassword, newPassword, language }: PasswordChangeInput,
  ): Promise<PasswordChangeResult> {
    const { gate, digests, random, policy, minLength, replace, hooks } = this.parts;
    const { clientHash } = context.database.policy;
    const password = policy.accept({ sent: newPassword }, clientHash, minLength);
    const old = sentForms(oldPassword, clientHash, digests);
    if (old.includes(password)) throw new ServiceError(321);
    const { userId, authenticationMethod } = context.session;
    const account =
      authenticationMethod.kind === "custom"
        ? (await context.r.accounts.find({ id: authenticationMethod.accountId }, [])).account
        : null;
    if (account === null) throw new ServiceError(context.sessionEndedCode);
    if (await hasAuthenticateHook(hooks, context))
      throw new ServiceError(339, {
        detail: "A hook authenticates custom users. Their passwords are not stored here.",
      });
    const code = confirmationCode(random);
    await gate.guard(context, {
      userKey: customUserKey(account.loginName),
      refusal: { code: 339, type: "customPassword.refused" },
      userId,
      prove: () => {
        const former = () => replace.former(context.r, account.id);
        const refused = "customPassword.refused";
        return policy.proveChange(context, { secret: account.secret, old, password, former, refused });
      },
      act: async (r, secret) => {
        const pending = { secret, code: codeDigest(digests, account.id, code), lifetime: minutes * 60_000, tries };
        // A concurrent change has made the old password invalid.
        if (!(await new PendingPasswords(r).keep(account, pending))) throw new ServiceError(339);
        await r.audit.append(sessionEvent(context, { type: "customPassword.change.requested" }));
        await this.mail({ ...context, r }, account, { code, language });
      },
    });
    return { confirmationRequired: true };
  }

  private async mail(
    { database, r }: SessionContext,
    { email: to, loginName: name }: Account,
    { code, language }: { code: string; language: MailLanguage | null },
  ): Promise<void> {
    if (to === null) throw new ServiceError(712, { detail: "The custom user has no e-mail address." });
    await this.parts.queueMail.queueMail(
      { alias: database.alias, r },
      { kind: "confirmationCode", to, name, code, minutes, language: language ?? this.parts.language },
    );
  }
}

/** 32 characters, so that all are equally likely. Excludes the ambiguous I, O, 0 and 1. */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const half = 4;

/** Returns a random 40-bit code in two groups, such as `K7QX-M2RB`. */
export function confirmationCode(random: RandomSource): string {
  const code = Array.from(random.bytes(2 * half), (byte) => letters[byte % letters.length]).join("");
  return `${code.slice(0, half)}-${code.slice(half)}`;
}

/** Returns the stored digest of a code. It is bound to one account. Case, blanks and hyphens do not matter. */
export function codeDigest(digests: Digests, accountId: string, code: string): Digest {
  return digests.sha256(`confirmation code\u0000${accountId}\u0000${code.toUpperCase().replaceAll(/[\s-]/g, "")}`);
}

export interface ConfirmCustomPasswordInput {
  readonly confirmationCode: string;
  readonly language: MailLanguage | null;
}

export interface ConfirmCustomPasswordParts {
  readonly gate: Gate;
  readonly digests: Digests;
  readonly replace: ReplacePassword;
  readonly notice: ChangeNotice;
}

/** Makes the pending password current if the code matches. Otherwise throws 326. Ends all other sessions of the account. */
export class ConfirmCustomPassword {
  constructor(private readonly parts: ConfirmCustomPasswordParts) {}

  async confirmCustomPassword(
    context: SessionContext,
    { confirmationCode: given, language }: ConfirmCustomPasswordInput,
  ): Promise<void> {
    const { gate, digests, replace, notice } = this.parts;
    const { userId, authenticationMethod } = context.session;
    // Only custom users have a pending password.
    if (authenticationMethod.kind !== "custom") throw new ServiceError(326);
    const { account } = await context.r.accounts.find({ id: authenticationMethod.accountId }, []);
    if (account === null) throw new ServiceError(context.sessionEndedCode);
    const { repositories } = context.database.storage;
    const code = codeDigest(digests, account.id, given);
    await gate.guard(context, {
      userKey: customUserKey(account.loginName),
      refusal: { code: 326, type: "customPassword.refused" },
      userId,
      prove: async () => ((await new PendingPasswords(repositories).tryCode(account.id, code)) ? account : null),
      act: async (r) => {
        const version = await new PendingPasswords(r).confirm(account.id, code);
        // A concurrent request has used the code.
        if (version === null) throw new ServiceError(326);
        await replace.completeChange(r, account, context.sessionDigest);
        if (!(await r.sessions.renew(context.sessionDigest, version))) throw new ServiceError(context.sessionEndedCode);
        await r.audit.append(sessionEvent(context, { type: "customPassword.changed" }));
      },
    });
    await notice.send(context, account, { kind: "passwordChanged" }, language);
  }
}
