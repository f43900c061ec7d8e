import { type Repositories, ServiceError } from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { ownFactor } from "./own-factors.ts";
import { proveFactor, type ProofServices } from "./prove-factor.ts";
import { type FactorKey, SecondFactors } from "./second-factors.ts";

/**
 * Disables a second factor. A confirmed one requires a token. An unconfirmed one requires none. Throws 208, 304, 341 or
 * 342. A forced factor: 307.
 */
export async function removeSecondFactor(
  context: SessionContext & Uses<ProofServices>,
  appName: string,
  token: string | null,
): Promise<void> {
  const own = await ownFactor(context, appName);
  if (own.rule === "forced") throw new ServiceError(307, { detail: "The app name requires a second factor." });
  const remove = async (r: Repositories): Promise<void> => {
    await new SecondFactors(r.records).remove(own.subject, appName);
    await r.audit.append(sessionEvent(context, { type: "secondFactor.removed", appNames: [appName] }));
  };
  const { factor } = own;
  const abandoned = factor?.confirmed === false && (await context.unit.transaction((r) => abandon(r, factor, remove)));
  if (!abandoned) await proveFactor(context, own, token, remove);
}

/** Overwrites the secret first, so that a concurrent confirmation fails. `false` if the factor has been confirmed. */
async function abandon(
  r: Repositories,
  { subject, appName }: FactorKey,
  remove: (r: Repositories) => Promise<void>,
): Promise<boolean> {
  const disabledFactor = { subject, appName, sealedSecret: "", recoveryCodes: [] };
  if ((await new SecondFactors(r.records).enrol(disabledFactor)) === "confirmed") return false;
  await remove(r);
  return true;
}
