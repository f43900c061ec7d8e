import { loginNameOf } from "../accounts/login-name.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import type { PreparedReset, ResetMail } from "../mail/reset-mail.ts";
import type { Repositories } from "../storage/repositories.ts";
import { passwordSubject } from "./password-subject.ts";

/** For how long a reset is good. */
const resetMinutes = 30;

const minute = 60_000;

/** Finds out whom a request for a new password is about, and gives out the token that it is answered with. */
export class PrepareResetMail implements ResetMail {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async prepare(r: Repositories, user: string): Promise<PreparedReset | null> {
    const { account } = await r.accounts.forProof(loginNameOf(user), []);
    if (account === null || account.disabled || account.email === null) return null;
    const { userId, secretVersion, email: to, loginName: name } = account;
    if (!(await this.isFirstOfMinute(r, userId))) return null;
    const token = this.random.secret();
    const payload = { userId, secretVersion };
    await r.oneTime.issue({ kind: "passwordReset", digest: this.digests.sha256(token), subject: passwordSubject(userId), payload, lifetime: resetMinutes * minute });
    return { to, name, token, minutes: resetMinutes };
  }

  /** Whoever asks again and again must not fill somebody's mailbox. Of two at once one fails with 799, and finds on its next try that it was late. */
  private async isFirstOfMinute(r: Repositories, userId: string): Promise<boolean> {
    const digest = this.digests.sha256(`reset mail ${userId}`);
    if ((await r.oneTime.read("resetMail", digest)) !== null) return false;
    await r.oneTime.issue({ kind: "resetMail", digest, subject: null, payload: true, lifetime: minute });
    return true;
  }
}
