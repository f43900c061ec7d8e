import { type Account, type Digest, type RecordValue, ServiceError } from "@sallyport/storage";
import { type MailLanguage, sendChangeNotice } from "../../mail/index.ts";
import type { ObjectServices } from "../../objects/index.ts";
import { type AppKeyContext, appKeyEvent, type Uses } from "../../request/index.ts";
import { isPasswordText, minPasswordLength } from "./password-policy.ts";
import { accountOfReset, type PasswordReset, passwordResets } from "./password-reset.ts";
import type { ResetServices } from "./request-password-reset.ts";
import { formerSecrets, replacePassword } from "./replace-password.ts";
import { resetsByRealm } from "../custom-users/custom-password-reset.ts";

export interface ConfirmResetInput {
  readonly resetPasswordToken: string;
  readonly newPassword: string;
  readonly language: MailLanguage | null;
}

interface FoundReset {
  readonly reset: PasswordReset;
  readonly account: Account;
}

/** Sets a new password with a mailed token and ends all sessions. Invalid token: 328. Refused password: 320, which does not consume the token. */
export async function confirmReset(
  context: AppKeyContext & Uses<Omit<ResetServices, "random">>,
  { resetPasswordToken, newPassword, language }: ConfirmResetInput,
): Promise<void> {
  const { hasher, passwordPolicy: policy, settings } = context.services;
  const { r, database } = context;
  const digest = database.digests.sha256(resetPasswordToken);
  const [stored] = await r.records.get(passwordResets, [digest]);
  const match = stored === undefined ? null : await findReset(context, stored.value);
  if (match === null) return refuseReset(context);
  const { reset, account } = match;
  if (!isPasswordText(newPassword)) throw new ServiceError(320);
  const minLength = reset.realm === "custom" ? settings.customPasswordMinLength : minPasswordLength;
  const password = policy.accept({ sent: newPassword }, database.policy.clientHash, minLength);
  await policy.acceptUnused([account.secret, ...(await formerSecrets(r, account.id, settings))], password);
  const secret = await hasher.hash(password);
  if (!(await consumeReset(context, digest, { ...match, secret }))) return refuseReset(context);
  await sendChangeNotice(context, account, { kind: "passwordChanged" }, language);
}

/** Of concurrent requests with one token, one succeeds. */
function consumeReset(
  context: AppKeyContext & Uses<Pick<ResetServices, "settings">>,
  digest: Digest,
  { reset, account, secret }: FoundReset & { readonly secret: string },
): Promise<boolean> {
  return context.database.storage.transaction(async (r) => {
    if ((await r.records.take(passwordResets, digest)) === null) return false;
    if (!(await replacePassword(r, account, { secret }, context.services.settings))) return false;
    await r.audit.append(appKeyEvent(context, { type: reset.event, outcome: 0, userId: account.userId }));
    return true;
  });
}

/** Returns the account of the token, or `null` if the token is no longer valid. */
async function findReset(
  context: AppKeyContext & Uses<ObjectServices>,
  payload: RecordValue,
): Promise<FoundReset | null> {
  for (const reset of Object.values(resetsByRealm)) {
    const account = await accountOfReset(context.r, reset, payload);
    if (account !== null) return (await reset.isPossible(context)) ? { reset, account } : null;
  }
  return null;
}

async function refuseReset(context: AppKeyContext): Promise<never> {
  const { r, appKey, origin } = context;
  await r.audit.append(
    appKeyEvent(context, { type: "password.reset.refused", outcome: 328 }),
    `reset refused ${appKey.id} ${origin.network}`,
  );
  throw new ServiceError(328);
}
