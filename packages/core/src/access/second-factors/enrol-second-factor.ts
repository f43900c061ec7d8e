import { ServiceError } from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { type FactorServices, newRecoveryCodes } from "./factor-secrets.ts";
import { endOtherSessions, ownFactor } from "./own-factors.ts";
import { proveFactor, type ProofServices } from "./prove-factor.ts";
import { SecondFactors } from "./second-factors.ts";

/** Shown to the user once. */
export interface EnrolledFactor {
  /** Base32, for manual input into an authenticator. */
  readonly secret: string;
  /** `otpauth://` address with the secret, for a QR code. */
  readonly address: string;
  readonly recoveryCodes: readonly string[];
}

/**
 * Starts the enrolment of a second factor, or restarts an unconfirmed one. App name outside the session: 208. App name
 * without second factors, no master key, or factor already confirmed: 307.
 */
export async function enrolSecondFactor(
  context: SessionContext & Uses<Omit<FactorServices, "factorProofs">>,
  appName: string,
): Promise<EnrolledFactor> {
  const { factorSecrets, timeTokens, random } = context.services;
  const { subject, rule } = await ownFactor(context, appName);
  if (rule === "off") throw new ServiceError(307, { detail: "Second factors are disabled for this app name." });
  if (!factorSecrets.usable)
    throw new ServiceError(307, { detail: "The server has no master key, so second factors are unavailable." });
  const secret = timeTokens.newSecret();
  const recoveryCodes = newRecoveryCodes(random, context.database.digests);
  const address = timeTokens.address({
    secret,
    issuer: context.database.name,
    label: `${await nameOf(context)} (${appName})`,
  });
  const factor = {
    subject,
    appName,
    sealedSecret: factorSecrets.seal({ subject, appName }, secret),
    recoveryCodes: recoveryCodes.map(({ digest }) => digest),
  };
  await context.unit.transaction(async (r) => {
    if ((await new SecondFactors(r.records).enrol(factor)) === "confirmed")
      throw new ServiceError(307, { detail: "The second factor is already confirmed. Disable it first." });
    await r.audit.append(sessionEvent(context, { type: "secondFactor.enrolled", appNames: [appName] }));
  });
  return { secret, address, recoveryCodes: recoveryCodes.map(({ text }) => text) };
}

async function nameOf({ r, principal: { userId } }: SessionContext): Promise<string> {
  const { user, account } = await r.accounts.find({ id: userId }, []);
  const name = user?.attributes["Name"];
  return typeof name === "string" && name !== "" ? name : (account?.loginName ?? userId);
}

/**
 * Confirms a second factor with its token. Log-ins then require a token. Ends the user's other sessions. For a confirmed
 * factor, only consumes the token. Throws 208, 304, 341 or 342.
 */
export async function confirmSecondFactor(
  context: SessionContext & Uses<ProofServices>,
  appName: string,
  token: string | null,
): Promise<void> {
  const own = await ownFactor(context, appName);
  await proveFactor(context, own, token, async (r, { confirmed }) => {
    if (confirmed) return;
    await endOtherSessions(
      r,
      { userId: context.principal.userId, authenticationMethod: context.session.authenticationMethod },
      context.sessionDigest,
    );
    await r.audit.append(sessionEvent(context, { type: "secondFactor.confirmed", appNames: [appName] }));
  });
}
