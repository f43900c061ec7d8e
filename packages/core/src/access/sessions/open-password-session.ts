import { ownUserLinks, serializeOwnUser } from "../../objects/index.ts";
import type { AppKeyContext, Uses } from "../../request/index.ts";
import { type Channel, loginNameOf, type ObjectId, type SerializedObject, type SessionMode } from "@sallyport/storage";
import { type GivenCredentials, preparePasswordProof, renewPassword } from "../accounts/verify-password.ts";
import type { AuthenticationAttempt, Proof } from "../gate/authentication-attempt.ts";
import { databaseUserKey } from "../gate/user-keys.ts";
import type { SecondFactorInput } from "../second-factors/check-second-factors.ts";
import { acceptAppNames } from "./app-names.ts";
import type { LogInServices } from "../gate/gate.ts";

export interface LogInInput {
  readonly user: string;
  /** Plain text, or the client hash. */
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** As in `AuthenticationAttempt`. */
  readonly device?: NonNullable<AuthenticationAttempt["device"]>;
  /** Second-factor input of the log-in. Optional. */
  readonly secondFactor?: SecondFactorInput;
  /** As in `AuthenticationAttempt`. */
  readonly checkReplay?: NonNullable<AuthenticationAttempt["checkReplay"]>;
}

export interface WantedSession {
  readonly mode: SessionMode;
  /** Accepts administrators only. Anyone else is refused as with a wrong password. App names are not checked, and take no seats. */
  readonly administration?: true;
  /** As in `AuthenticationAttempt`. */
  readonly policy?: NonNullable<AuthenticationAttempt["policy"]>;
  readonly channel?: Channel;
  /** As in `AuthenticationAttempt`. */
  readonly beforeCommit?: NonNullable<AuthenticationAttempt["beforeCommit"]>;
}

export interface PasswordSession {
  /** Basis of the session credential. Storage has only its digest. */
  readonly sessionId: string;
  readonly userId: ObjectId;
  readonly user: SerializedObject;
}

/** Authenticates a database user by name and password, for every session mode. */
export async function openPasswordSession(
  context: AppKeyContext & Uses<LogInServices>,
  { user, pass, appNames, deviceId, ...shown }: LogInInput,
  { administration, ...wanted }: WantedSession,
): Promise<PasswordSession> {
  const { clientHash } = context.database.policy;
  const links = ownUserLinks(context);
  const proof = prepareProof(context, { user, pass, clientHash, links }, administration ? null : appNames);
  const kind = administration === undefined ? {} : ({ administration: true } as const);
  const known = {
    userKey: databaseUserKey(user),
    account: { realm: "database", loginName: loginNameOf(user) },
  } as const;
  const attempt = { ...wanted, ...shown, ...known, ...kind, proof, appNames, deviceId };
  const opened = await context.services.gate.openSession(context, attempt, (authenticated) =>
    serializeOwnUser(context, authenticated),
  );
  const { account } = opened.authenticated;
  // Runs after the session is opened, so that it does not affect the timing of a refusal.
  await renewPassword(context, account, { pass, clientHash });
  return { sessionId: opened.sessionId, userId: account.userId, user: opened.prepared };
}

/** `appNames`: `null` for a session of administration. */
async function prepareProof(
  context: AppKeyContext & Uses<LogInServices>,
  credentials: GivenCredentials,
  appNames: readonly string[] | null,
): Promise<Proof> {
  // Invalid app names are reported before a lockout.
  const [, prove] = await Promise.all([
    appNames === null ? undefined : acceptAppNames(context, appNames),
    preparePasswordProof(context, credentials),
  ]);
  return appNames === null ? administratorsOnly(prove) : prove;
}

/** Decides after the proof, so that other users cost the same time. */
function administratorsOnly(prove: Proof): Proof {
  return async () => {
    const authenticated = await prove();
    return authenticated?.account.administrator === true ? authenticated : null;
  };
}
