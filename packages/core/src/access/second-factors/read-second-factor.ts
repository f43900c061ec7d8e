import type { SessionContext } from "../../request/index.ts";
import type { FactorSecrets } from "./factor-secrets.ts";
import { ownFactor } from "./own-factors.ts";
import type { SecondFactorRule } from "./second-factors.ts";

/** How it stands with somebody's second factor for an app name. */
export interface FactorState {
  /** Whether a secret was given out. */
  readonly enrolled: boolean;
  /** Whether its owner has shown a token of it. */
  readonly confirmed: boolean;
  /** `unavailable`: the server has no master key to seal secrets with. */
  readonly rule: SecondFactorRule | "unavailable";
}

/** Tells somebody how it stands with his second factor. */
export class ReadSecondFactor {
  constructor(private readonly secrets: FactorSecrets) {}

  /** 208 for an app name that is not the session's. */
  async run(context: SessionContext, appName: string): Promise<FactorState> {
    const { factor, rule } = await ownFactor(context, appName);
    return {
      enrolled: factor !== null,
      confirmed: factor?.confirmed ?? false,
      rule: this.secrets.usable ? rule : "unavailable",
    };
  }
}
