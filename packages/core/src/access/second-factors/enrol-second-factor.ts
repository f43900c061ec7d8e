import { type Repositories, ServiceError } from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { newRecoveryCodes, recoveryDigest, type FactorServices } from "./factor-secrets.ts";
import { endOtherSessions, ownFactor } from "./own-factors.ts";
import { proveFactor, type ProofServices } from "./prove-factor.ts";
import { type FactorKey, type SecondFactorRule, SecondFactors } from "./second-factors.ts";

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
  const recoveryCodes = newRecoveryCodes(random);
  const address = timeTokens.address({
    secret,
    issuer: context.database.name,
    label: `${await nameOf(context)} (${appName})`,
  });
  const factor = {
    subject,
    appName,
    sealedSecret: factorSecrets.seal({ subject, appName }, secret),
    recoveryCodes: digestsOf(context, recoveryCodes),
  };
  await context.unit.transaction(async (r) => {
    if ((await new SecondFactors(r.records).enrol(factor)) === "confirmed")
      throw new ServiceError(307, { detail: "The second factor is already confirmed. Disable it first." });
    await r.audit.append(sessionEvent(context, { type: "secondFactor.enrolled", appNames: [appName] }));
  });
  return { secret, address, recoveryCodes };
}

function digestsOf(context: SessionContext, codes: readonly string[]): string[] {
  return codes.flatMap((code) => recoveryDigest(context.database.digests, code) ?? []);
}

async function nameOf({ r, principal: { userId } }: SessionContext): Promise<string> {
  const { user, account } = await r.accounts.find({ id: userId }, []);
  const name = user?.attributes["Name"];
  return typeof name === "string" && name !== "" ? name : (account?.loginName ?? userId);
}

/**
 * Confirms a second factor with its token. Log-ins then require a token. Ends the user's other sessions. Throws 208,
 * 304, 341 or 342.
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

export interface FactorState {
  readonly enrolled: boolean;
  readonly confirmed: boolean;
  /** `unavailable`: the server has no master key to seal secrets with. */
  readonly rule: SecondFactorRule | "unavailable";
}

/** Throws 208 for an app name outside the session. */
export async function readSecondFactor(
  context: SessionContext & Uses<Pick<FactorServices, "factorSecrets">>,
  appName: string,
): Promise<FactorState> {
  const { factor, rule } = await ownFactor(context, appName);
  return {
    enrolled: factor !== null,
    confirmed: factor?.confirmed ?? false,
    rule: context.services.factorSecrets.usable ? rule : "unavailable",
  };
}
