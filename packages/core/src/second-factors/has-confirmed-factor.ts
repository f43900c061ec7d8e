import type { Repositories } from "../storage/repositories.ts";
import type { FactorKey, FactorSubject } from "./second-factor-repository.ts";

/** Whether somebody has a second factor, for whatever app name, that log-ins ask for. */
export async function hasConfirmedFactor(
  { secondFactors }: Pick<Repositories, "secondFactors">,
  subject: FactorSubject,
): Promise<boolean> {
  let after: FactorKey = { subject, appName: "" };
  for (;;) {
    const [factor] = await secondFactors.list(after, 1);
    if (factor?.subject !== subject) return false;
    if (factor.confirmed) return true;
    after = factor;
  }
}
