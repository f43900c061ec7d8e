import {
  accountOwner,
  countUse,
  type Digests,
  type RandomSource,
  type Repositories,
  ServiceError,
  type ThrottlePolicy,
} from "@sallyport/storage";
import {
  type MailLanguage,
  type PreparedReset,
  type ResetMail,
  type ResetMailJob,
  queueMail,
  type MailServices,
} from "../../mail/index.ts";
import { type AppKeyContext, appKeyEvent, type Uses } from "../../request/index.ts";
import { accountNamed, passwordResets, resetPayload } from "./password-reset.ts";
import type { ObjectServices } from "../../objects/index.ts";
import type { PasswordServices, PasswordSettings } from "./password-policy.ts";
import { resetsByRealm } from "../custom-users/custom-password-reset.ts";

export interface RequestPasswordResetInput {
  readonly user: string;
  readonly custom: boolean;
  readonly language: MailLanguage | null;
}

/** Services of password resets. */
export interface ResetServices extends ObjectServices, PasswordServices, Pick<MailServices, "outbox"> {
  readonly settings: MailServices["settings"] &
    PasswordSettings & {
      /** Maximum number of requests per network and hour without a delay. 0: unlimited. */
      readonly resetsPerNetwork: number;
    };
}

const minute = 60_000;
const delays = { initialDelay: minute, maxDelay: 15 * minute, resetAfter: 60 * minute };
const ofUser: ThrottlePolicy = { maxFailures: 3, ...delays };

/**
 * Queues a password reset mail. The user is looked up when the mail is sent, so the answer and its cost are the same
 * for every name. Above the network limit: 706. Above the limit of the name: the usual answer, but no mail.
 */
export async function requestPasswordReset(
  context: AppKeyContext & Uses<Omit<ResetServices, "hasher" | "passwordPolicy" | "random">>,
  { user, custom, language }: RequestPasswordResetInput,
): Promise<void> {
  const { appKey, origin, r } = context;
  if (custom && !(await resetsByRealm.custom.isPossible(context)))
    throw new ServiceError(712, {
      detail: "A hook authenticates custom users. Their passwords are not stored here.",
    });
  const job = {
    kind: "passwordReset",
    user,
    language: language ?? context.services.settings.mailLanguage,
    ...(custom ? { custom } : {}),
  } as const;
  await queueMail(context, job, () => mayAsk(context, job));
  // Requests are unauthenticated and unlimited in number, so they are tallied.
  await r.audit.append(
    appKeyEvent(context, { type: "password.reset.requested", outcome: 0 }),
    `reset asked ${appKey.id} ${origin.network}`,
  );
}

async function mayAsk(
  context: AppKeyContext & Uses<Pick<ResetServices, "settings">>,
  { user, custom }: ResetMailJob,
): Promise<boolean> {
  const { r, origin, database } = context;
  const wait = await countUse(r.throttle, {
    key: `resetsAsked:${origin.network}`,
    policy: { maxFailures: context.services.settings.resetsPerNetwork, ...delays },
  });
  if (wait > 0)
    throw new ServiceError(706, {
      retryAfter: Math.ceil(wait / 1000),
      detail: "Too many password resets were requested from this network.",
    });
  const subject = database.digests.sha256(`${custom === true ? "custom" : "own"} ${user}`);
  return (await countUse(r.throttle, { key: `resetAsked:${subject}`, policy: ofUser })) === 0;
}

const resetMinutes = 30;

/** One minute, doubled by each further mail. Shorter than the token lifetime, so that an attacker cannot block a user's resets. */
const pauses: ThrottlePolicy = { maxFailures: 1, ...delays };

/** Resolves a reset request to an account and issues its token. */
export class PrepareResetMail implements ResetMail {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async prepare(r: Repositories, { user, custom }: ResetMailJob): Promise<PreparedReset | null> {
    const reset = resetsByRealm[custom === true ? "custom" : "database"];
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
