import { type Account, type Digest, type Digests, type RandomSource, ServiceError } from "@sallyport/storage";
import { type MailLanguage, queueMail, sendChangeNotice } from "../../mail/index.ts";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { sentForms } from "../accounts/passwords.ts";
import { customUserKey } from "../gate/user-keys.ts";
import type { PasswordChangeInput, PasswordChangeResult } from "../passwords/change-own-password.ts";
import { hasAuthenticateHook } from "./authenticate-by-hook.ts";
import { PendingPasswords } from "./pending-passwords.ts";
import type { ChangePasswordServices } from "../passwords/change-own-password.ts";
import { formerSecrets, completeChange } from "../passwords/replace-password.ts";

const minutes = 10;
const tries = 5;

/**
 * Stores a pending password of a custom user and mails the code that confirms it. The current password and the sessions
 * stay unchanged. 339 if a hook authenticates custom users. 712 without an e-mail address or without mail.
 */
export async function changeCustomPassword(
  context: SessionContext & Uses<Omit<ChangePasswordServices, "hasher" | "passwordMessages">>,
  { oldPassword, newPassword, language }: PasswordChangeInput,
): Promise<PasswordChangeResult> {
  const { gate, random, passwordPolicy: policy, settings } = context.services;
  const {
    digests,
    policy: { clientHash },
  } = context.database;
  const password = policy.accept({ sent: newPassword }, clientHash, settings.customPasswordMinLength);
  const old = sentForms(oldPassword, clientHash, digests);
  if (old.includes(password)) throw new ServiceError(321);
  const { userId, authenticationMethod } = context.session;
  const account =
    authenticationMethod.kind === "custom"
      ? (await context.r.accounts.find({ id: authenticationMethod.accountId }, [])).account
      : null;
  if (account === null) throw new ServiceError(context.sessionEndedCode);
  if (await hasAuthenticateHook(context))
    throw new ServiceError(339, {
      detail: "A hook authenticates custom users. Their passwords are not stored here.",
    });
  const code = confirmationCode(random);
  await gate.guard(context, {
    userKey: customUserKey(account.loginName),
    refusal: { code: 339, type: "customPassword.refused" },
    userId,
    prove: () => {
      const former = () => formerSecrets(context.r, account.id, settings);
      const refused = "customPassword.refused";
      return policy.proveChange(context, { secret: account.secret, old, password, former, refused });
    },
    act: async (r, secret) => {
      const pending = { secret, code: codeDigest(digests, account.id, code), lifetime: minutes * 60_000, tries };
      // A concurrent change has made the old password invalid.
      if (!(await new PendingPasswords(r).keep(account, pending))) throw new ServiceError(339);
      await r.audit.append(sessionEvent(context, { type: "customPassword.change.requested" }));
      await mailCode({ ...context, r }, account, { code, language });
    },
  });
  return { confirmationRequired: true };
}

async function mailCode(
  context: SessionContext & Uses<Pick<ChangePasswordServices, "outbox" | "settings">>,
  { email: to, loginName: name }: Account,
  { code, language }: { code: string; language: MailLanguage | null },
): Promise<void> {
  if (to === null) throw new ServiceError(712, { detail: "The custom user has no e-mail address." });
  await queueMail(context, {
    kind: "confirmationCode",
    to,
    name,
    code,
    minutes,
    language: language ?? context.services.settings.mailLanguage,
  });
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

/** Makes the pending password current if the code matches. Otherwise throws 326. Ends all other sessions of the account. */
export async function confirmCustomPassword(
  context: SessionContext & Uses<Pick<ChangePasswordServices, "gate" | "outbox" | "settings">>,
  { confirmationCode: typedCode, language }: ConfirmCustomPasswordInput,
): Promise<void> {
  const { gate, settings } = context.services;
  const { userId, authenticationMethod } = context.session;
  // Only custom users have a pending password.
  if (authenticationMethod.kind !== "custom") throw new ServiceError(326);
  const { account } = await context.r.accounts.find({ id: authenticationMethod.accountId }, []);
  if (account === null) throw new ServiceError(context.sessionEndedCode);
  const {
    digests,
    storage: { repositories },
  } = context.database;
  const code = codeDigest(digests, account.id, typedCode);
  await gate.guard(context, {
    userKey: customUserKey(account.loginName),
    refusal: { code: 326, type: "customPassword.refused" },
    userId,
    prove: async () => ((await new PendingPasswords(repositories).tryCode(account.id, code)) ? account : null),
    act: async (r) => {
      const version = await new PendingPasswords(r).confirm(account.id, code);
      // A concurrent request has used the code.
      if (version === null) throw new ServiceError(326);
      await completeChange(r, account, settings, context.sessionDigest);
      if (!(await r.sessions.renew(context.sessionDigest, version))) throw new ServiceError(context.sessionEndedCode);
      await r.audit.append(sessionEvent(context, { type: "customPassword.changed" }));
    },
  });
  await sendChangeNotice(context, account, { kind: "passwordChanged" }, language);
}
