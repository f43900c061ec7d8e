import type { Digests, RandomSource } from "../../digests/index.ts";
import type { PreparedReset, ResetMail, ResetOrder } from "../../mail/index.ts";
import { type Repositories, takeTurn, type ThrottlePolicy } from "../../storage/index.ts";
import { type PasswordResets, passwordResets } from "./password-reset.ts";

/** For how long a reset is good. */
const resetMinutes = 30;

const minute = 60_000;

/**
 * How long a user is not written to again: a minute, and twice as long with each mail after one that is not long ago. The longest is shorter than a token
 * is good, so that whoever lets others be written to does not keep them from their new password.
 */
const pauses: ThrottlePolicy = {
  freeFailures: 1,
  firstDelay: minute,
  longestDelay: 15 * minute,
  forgetAfter: 60 * minute,
};

/** Finds out whom a request for a new password is about, and gives out the token that it is answered with. */
export class PrepareResetMail implements ResetMail {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
    private readonly resets: PasswordResets,
  ) {}

  async prepare(r: Repositories, { user, custom }: ResetOrder): Promise<PreparedReset | null> {
    const account = await this.resets[custom === true ? "custom" : "own"].named(r, user);
    if (account === null || account.email === null) return null;
    const { subject, payload, email: to, loginName: name } = account;
    // Repeated requests must not fill the mailbox of a user.
    if ((await takeTurn(r.throttle, { key: `resetMail:${subject}`, policy: pauses })) > 0) return null;
    const token = this.random.secret();
    await r.records.put(passwordResets, this.digests.sha256(token), payload, {
      owner: subject,
      lifetime: resetMinutes * minute,
    });
    return { to, name, token, minutes: resetMinutes };
  }
}
