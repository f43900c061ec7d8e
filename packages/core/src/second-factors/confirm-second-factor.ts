import { sessionEvent } from "../audit/audit-events.ts";
import type { SessionContext } from "../request/request-context.ts";
import { endOtherSessions } from "./end-other-sessions.ts";
import { ownFactor } from "./own-factors.ts";
import type { ProveFactor } from "./prove-factor.ts";

/** Confirms a second factor by a token of it: from now on log-ins ask for one, and other sessions end. */
export class ConfirmSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** 208, 304, 341, 342. */
  async run(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    await this.proveFactor.run(context, own, token, async (r, { confirmed }) => {
      if (confirmed) return;
      await endOtherSessions(
        r,
        { userId: context.principal.userId, entrance: context.session.entrance },
        context.sessionDigest,
      );
      await r.audit.append({ ...sessionEvent(context, { type: "secondFactor.confirmed" }), appNames: [appName] });
    });
  }
}
