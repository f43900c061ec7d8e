import { type LogInInput, type LogInResult, openPasswordSession, type LogInServices } from "../access/index.ts";
import {
  type Account,
  type AuthenticatedAccount,
  isUuid,
  type ProviderType,
  randomUuid,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import { type MailLanguage, sendChangeNotice, type MailServices } from "../mail/index.ts";
import type { AppKeyContext, Uses } from "../request/index.ts";
import { assignableIdentities, createLink } from "./links.ts";

export interface LinkingInput extends LogInInput {
  /** Unvalidated client input. */
  readonly dfUuid: unknown;
  /** Language of the notice. `null`: the configured default. */
  readonly language: MailLanguage | null;
}

/**
 * Logs in with the credentials of a database user and links the external account of the `dfUuid` to the user,
 * atomically. Credentials are checked first. Missing, malformed, unknown, used or expired `dfUuid`, one of another app
 * key, or an already linked account: 324. Only success consumes the `dfUuid`. An enrolling session links nothing. A
 * user with an e-mail address gets a notice.
 */
export async function logInAndLink(
  context: AppKeyContext & Uses<LogInServices & MailServices>,
  { dfUuid, language, ...input }: LinkingInput,
): Promise<LogInResult> {
  const made: { readonly account: Account; readonly provider: ProviderType }[] = [];
  const beforeCommit = async (r: Repositories, authenticated: AuthenticatedAccount) => {
    const provider = await link(context, r, { dfUuid, authenticated, appNames: input.appNames });
    made.push({ account: authenticated.account, provider });
  };
  const notify = async () => {
    // The last entry counts, as a transaction may be retried.
    const latest = made.at(-1);
    if (latest === undefined) return;
    const { account, provider } = latest;
    await sendChangeNotice(context, account, { kind: "accountLinked", provider }, language);
  };
  const options = { mode: "session", beforeCommit } as const;
  const opening = openPasswordSession(context, input, options);
  const { sessionId, user } = await opening.catch(async (error: unknown) => {
    // The licence server refused the session after the commit of the link.
    if (error instanceof ServiceError && error.code === 711) await notify();
    throw error;
  });
  await notify();
  return { sessionId, user, databaseName: context.database.name };
}

async function link(
  context: AppKeyContext & Uses<LogInServices & MailServices>,
  r: Repositories,
  {
    dfUuid,
    authenticated,
    appNames,
  }: { dfUuid: unknown; authenticated: AuthenticatedAccount; appNames: readonly string[] },
): Promise<ProviderType> {
  const uuid = typeof dfUuid === "string" && isUuid(dfUuid) ? dfUuid.toLowerCase() : null;
  const offer =
    uuid === null ? null : await r.records.take(assignableIdentities, context.database.digests.sha256(uuid));
  if (offer === null) throw new ServiceError(324, { detail: "The dfUuid is missing, unknown, used or expired." });
  const { appKeyId, ...identity } = offer;
  if (appKeyId !== context.appKey.id) throw new ServiceError(324, { detail: "The dfUuid belongs to another app key." });
  const added = {
    ...identity,
    id: randomUuid(context.services.random),
    userId: authenticated.account.userId,
    shared: false,
  };
  if (!(await createLink(context, r, added, { appNames, digests: context.database.digests })))
    throw new ServiceError(324, { detail: "The provider account is already linked to a user." });
  return added.provider;
}
