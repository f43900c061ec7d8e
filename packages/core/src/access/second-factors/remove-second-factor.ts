import { ServiceError } from "../../errors/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";
import type { Repositories } from "../../storage/index.ts";
import { ownFactor } from "./own-factors.ts";
import type { ProveFactor } from "./prove-factor.ts";
import { type FactorKey, SecondFactors } from "./second-factors.ts";

/** Switches a second factor off: a confirmed one for a token of it, one that was only begun for nothing. */
export class RemoveSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** 208, 304, 341, 342; 307 where one is forced. */
  async run(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    if (own.rule === "forced") throw new ServiceError(307, { detail: "The app name demands a second factor." });
    const remove = async (r: Repositories): Promise<void> => {
      await new SecondFactors(r.records).remove(own.subject, appName);
      await r.audit.append({ ...sessionEvent(context, { type: "secondFactor.removed" }), appNames: [appName] });
    };
    const { factor } = own;
    const abandoned =
      factor?.confirmed === false && (await context.unit.transaction((r) => this.abandon(r, factor, remove)));
    if (!abandoned) await this.proveFactor.run(context, own, token, remove);
  }

  /** `false` if it has been confirmed meanwhile: to begin it anew, with no secret, is what tells, and keeps whoever confirms it waiting until it is gone. */
  private async abandon(
    r: Repositories,
    { subject, appName }: FactorKey,
    remove: (r: Repositories) => Promise<void>,
  ): Promise<boolean> {
    if (
      (await new SecondFactors(r.records).enrol({ subject, appName, sealedSecret: "", recoveryCodes: [] })) ===
      "confirmed"
    )
      return false;
    await remove(r);
    return true;
  }
}
