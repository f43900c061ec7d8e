import type { OpenPasswordSession, LogInInput, LogInResult } from "../access/index.ts";
import {
  type Account,
  type AuthenticatedAccount,
  type Digests,
  isUuid,
  type ProviderType,
  type RandomSource,
  randomUuid,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import type { ChangeNotice, MailLanguage } from "../mail/index.ts";
import type { AppKeyContext } from "../request/index.ts";
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
export class LogInAndLink {
  constructor(
    private readonly openPasswordSession: OpenPasswordSession,
    private readonly digests: Digests,
    private readonly random: RandomSource,
    private readonly notice: ChangeNotice,
  ) {}

  async logInAndLink(context: AppKeyContext, { dfUuid, language, ...input }: LinkingInput): Promise<LogInResult> {
    const made: { readonly account: Account; readonly provider: ProviderType }[] = [];
    const beforeCommit = async (r: Repositories, authenticated: AuthenticatedAccount) => {
      const provider = await this.link(context, r, { dfUuid, authenticated, appNames: input.appNames });
      made.push({ account: authenticated.account, provider });
    };
    const notify = async () => {
      // The last entry counts, as a transaction may be retried.
      const link = made.at(-1);
      if (link === undefined) return;
      const { account, provider } = link;
      await this.notice.send(context, account, { kind: "accountLinked", provider }, language);
    };
    const wanted = { mode: "session", beforeCommit } as const;
    const opening = this.openPasswordSession.openPasswordSession(context, input, wanted);
    const { sessionId, user } = await opening.catch(async (error: unknown) => {
      // The licence server refused the session after the commit of the link.
      if (error instanceof ServiceError && error.code === 711) await notify();
      throw error;
    });
    await notify();
    return { sessionId, user, databaseName: context.database.name };
  }

  private async link(
    context: AppKeyContext,
    r: Repositories,
    {
      dfUuid,
      authenticated,
      appNames,
    }: { dfUuid: unknown; authenticated: AuthenticatedAccount; appNames: readonly string[] },
  ): Promise<ProviderType> {
    const given = typeof dfUuid === "string" && isUuid(dfUuid) ? dfUuid.toLowerCase() : null;
    const found = given === null ? null : await r.records.take(assignableIdentities, this.digests.sha256(given));
    if (found === null) throw new ServiceError(324, { detail: "The dfUuid is missing, unknown, used or expired." });
    const { appKeyId, ...identity } = found;
    if (appKeyId !== context.appKey.id)
      throw new ServiceError(324, { detail: "The dfUuid belongs to another app key." });
    const link = { ...identity, id: randomUuid(this.random), userId: authenticated.account.userId, shared: false };
    if (!(await createLink(context, r, link, { appNames, digests: this.digests })))
      throw new ServiceError(324, { detail: "The provider account is already linked to a user." });
    return link.provider;
  }
}
