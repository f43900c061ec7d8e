import {
  accountSessions,
  type AuthenticationMethod,
  type Digest,
  type ObjectId,
  personOf,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import type { SessionContext, Uses } from "../../request/index.ts";
import { findApplications } from "../appkeys/applications.ts";
import type { FactorServices } from "./factor-secrets.ts";
import { type FactorSubject, type FoundFactor, type SecondFactorRule, SecondFactors } from "./second-factors.ts";

export interface OwnFactor {
  readonly subject: FactorSubject;
  readonly appName: string;
  readonly rule: SecondFactorRule;
  /** `null` if enrolment has not started. */
  readonly factor: FoundFactor | null;
}

/**
 * Finds the caller's factor for an app name of the session. An enrolling session may use the app names of its key that force
 * a factor. 208 for any other app name.
 */
export async function ownFactor(context: SessionContext, appName: string): Promise<OwnFactor> {
  const { r, appKey, session } = context;
  const { enrolling } = session;
  const allowed = enrolling
    ? appKey.appNames === null || appKey.appNames.includes(appName)
    : session.appNames.includes(appName);
  if (!allowed) throw new ServiceError(208);
  const subject = personOf(session);
  const [[application], [factor]] = await Promise.all([
    findApplications(r.records, [appName]),
    new SecondFactors(r.records).find(subject, [appName]),
  ]);
  const rule = application?.secondFactor ?? "off";
  if (enrolling && rule !== "forced") throw new ServiceError(208);
  return { subject, appName, rule, factor: factor ?? null };
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

export interface SessionUser {
  readonly userId: ObjectId;
  readonly authenticationMethod: AuthenticationMethod;
}

/** Ends the user's other sessions, which were opened without the newly confirmed factor. */
export async function endOtherSessions(
  { sessions }: Pick<Repositories, "sessions">,
  user: SessionUser,
  except?: Digest,
): Promise<void> {
  const { userId, authenticationMethod } = user;
  // Other persons log in as the same user with other links. Each link has a factor of its own.
  const isShared = authenticationMethod.kind === "provider" && authenticationMethod.link.value.shared;
  const selector = isShared
    ? { linkId: authenticationMethod.link.id }
    : accountSessions(authenticationMethod.kind === "custom" ? authenticationMethod.accountId : userId);
  await sessions.end(except === undefined ? selector : { ...selector, except });
}
