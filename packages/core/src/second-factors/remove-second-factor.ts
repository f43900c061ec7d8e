import { sessionEvent } from "../audit/session-event.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import type { Repositories } from "../storage/repositories.ts";
import { ownFactor } from "./own-factors.ts";
import type { ProveFactor } from "./prove-factor.ts";

/** Switches a second factor off: a confirmed one for a token of it, one that was only begun for nothing. */
export class RemoveSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** 208, 304, 341, 342; 307 where one is forced. */
  async run(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    if (own.rule === "forced") throw new ServiceError(307, { detail: "The app name demands a second factor." });
    const remove = async (r: Repositories): Promise<void> => {
      await r.secondFactors.remove(own.subject, appName);
      await r.audit.append({ ...sessionEvent(context, { type: "secondFactor.removed" }), appNames: [appName] });
    };
    if (own.factor?.confirmed === false) await context.unit.transaction(remove);
    else await this.proveFactor.run(context, own, token, remove);
  }
}
