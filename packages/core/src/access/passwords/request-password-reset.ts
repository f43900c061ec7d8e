import {
  accountOwner,
  countUse,
  type Digests,
  type RandomSource,
  type Repositories,
  ServiceError,
  type ThrottlePolicy,
} from "@sallyport/storage";
import type { MailLanguage, QueueMail, PreparedReset, ResetMail, ResetMailJob } from "../../mail/index.ts";
import { type AppKeyContext, logInEvent } from "../../request/index.ts";
import { accountNamed, type PasswordResets, passwordResets, resetPayload } from "./password-reset.ts";

export interface RequestPasswordResetInput {
  readonly user: string;
  readonly custom: boolean;
  readonly language: MailLanguage | null;
}

export interface RequestPasswordResetParts {
  readonly queueMail: QueueMail;
  readonly digests: Digests;
  readonly language: MailLanguage;
  readonly resets: PasswordResets;
  /** Maximum number of requests per network and hour without a delay. 0: unlimited. */
  readonly perNetwork: number;
}

const minute = 60_000;
const delays = { initialDelay: minute, maxDelay: 15 * minute, resetAfter: 60 * minute };
const ofUser: ThrottlePolicy = { maxFailures: 3, ...delays };

/**
 * Queues a password reset mail. The user is looked up when the mail is sent, so the answer and its cost are the same
 * for every name. Above the network limit: 706. Above the limit of the name: the usual answer, but no mail.
 */
export class RequestPasswordReset {
  constructor(private readonly parts: RequestPasswordResetParts) {}

  async requestPasswordReset(
    context: AppKeyContext,
    { user, custom, language }: RequestPasswordResetInput,
  ): Promise<void> {
    const { resets, queueMail } = this.parts;
    const { database, appKey, origin, r } = context;
    if (custom && !(await resets.custom.isPossible(context)))
      throw new ServiceError(712, {
        detail: "A hook authenticates custom users. Their passwords are not stored here.",
      });
    const job = {
      kind: "passwordReset",
      user,
      language: language ?? this.parts.language,
      ...(custom ? { custom } : {}),
    } as const;
    await queueMail.queueMail({ alias: database.alias, r }, job, () => this.mayAsk(context, job));
    // Requests are unauthenticated and unlimited in number, so they are tallied.
    await r.audit.tally(
      `reset asked ${appKey.id} ${origin.network}`,
      logInEvent(context, { type: "password.reset.requested", outcome: 0 }),
    );
  }

  private async mayAsk({ r, origin }: AppKeyContext, { user, custom }: ResetMailJob): Promise<boolean> {
    const { digests, perNetwork } = this.parts;
    const wait = await countUse(r.throttle, {
      key: `resetsAsked:${origin.network}`,
      policy: { maxFailures: perNetwork, ...delays },
    });
    if (wait > 0)
      throw new ServiceError(706, {
        retryAfter: Math.ceil(wait / 1000),
        detail: "Too many password resets were requested from this network.",
      });
    const subject = digests.sha256(`${custom === true ? "custom" : "own"} ${user}`);
    return (await countUse(r.throttle, { key: `resetAsked:${subject}`, policy: ofUser })) === 0;
  }
}

const resetMinutes = 30;

/** One minute, doubled by each further mail. Shorter than the token lifetime, so that an attacker cannot block a user's resets. */
const pauses: ThrottlePolicy = { maxFailures: 1, ...delays };

/** Resolves a reset request to an account and issues its token. */
export class PrepareResetMail implements ResetMail {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
    private readonly resets: PasswordResets,
  ) {}

  async prepare(r: Repositories, { user, custom }: ResetMailJob): Promise<PreparedReset | null> {
    const reset = this.resets[custom === true ? "custom" : "own"];
    const account = await accountNamed(r, reset, user);
    if (account === null || account.email === null) return null;
    const { email: to, loginName: name } = account;
    const owner = accountOwner(account.id);
    // Repeated requests must not fill the mailbox of a user.
    if ((await countUse(r.throttle, { key: `resetMail:${owner}`, policy: pauses })) > 0) return null;
    const token = this.random.secret();
    await r.records.put(passwordResets, this.digests.sha256(token), resetPayload(reset, account), {
      owner,
      lifetime: resetMinutes * minute,
    });
    return { to, name, token, minutes: resetMinutes };
  }
}
