import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import { ownFactor } from "./own-factors.ts";
import type { ProveFactor } from "./prove-factor.ts";

/** Has somebody show once more that he has his second factor, before a step that is worth it. The token is spent. */
export class ValidateSecondFactor {
  constructor(private readonly proveFactor: ProveFactor) {}

  /** 208, 341, 342; 304 without a confirmed factor. */
  async run(context: SessionContext, appName: string, token: string | null): Promise<void> {
    const own = await ownFactor(context, appName);
    if (own.factor?.confirmed === false) throw new ServiceError(304, { detail: "The second factor is not confirmed." });
    await this.proveFactor.run(context, own, token, async () => {});
  }
}
