import { ownUserLinks, serializeOwnUser } from "../../objects/index.ts";
import type { AppKeyContext, Uses } from "../../request/index.ts";
import {
  type Channel,
  loginNameOf,
  type ObjectId,
  type SerializedObject,
  type SessionMode,
  systemPrincipal,
} from "@sallyport/storage";
import { administrationRightsOf } from "../accounts/administration-rights.ts";
import { type CredentialsInput, preparePasswordProof, renewPassword } from "../accounts/passwords.ts";
import type { ChannelSecrets } from "../channels/channel-secrets.ts";
import type { AuthenticationAttempt, Proof } from "../gate/authentication-attempt.ts";
import type { LogInServices } from "../gate/gate.ts";
import { databaseUserKey } from "../gate/user-keys.ts";
import type { SecondFactorInput } from "../second-factors/check-second-factors.ts";
import type { TokenMode, Tokens } from "../tokens/tokens.ts";
import { acceptAppNames } from "./app-names.ts";

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

export interface PasswordSessionOptions {
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
  { administration, ...options }: PasswordSessionOptions,
): Promise<PasswordSession> {
  const { clientHash } = context.database.policy;
  const links = ownUserLinks(context);
  const proof = prepareProof(context, { user, pass, clientHash, links }, administration ? null : appNames);
  const kind = administration === undefined ? {} : ({ administration: true } as const);
  const named = {
    userKey: databaseUserKey(user),
    account: { realm: "database", loginName: loginNameOf(user) },
  } as const;
  const attempt = { ...options, ...shown, ...named, ...kind, proof, appNames, deviceId };
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
  credentials: CredentialsInput,
  appNames: readonly string[] | null,
): Promise<Proof> {
  // Invalid app names are reported before a lockout.
  const [, prove] = await Promise.all([
    appNames === null ? undefined : acceptAppNames(context, appNames),
    preparePasswordProof(context, credentials),
  ]);
  return appNames === null ? administratorsOnly(context, prove) : prove;
}

/** Decides after the proof, and asks for rights after a wrong password too, so that other users cost the same time. */
function administratorsOnly({ r }: Pick<AppKeyContext, "r">, prove: Proof): Proof {
  return async () => {
    const authenticated = await prove();
    const rights = await administrationRightsOf(r, authenticated?.account ?? nobody);
    return rights === null ? null : authenticated;
  };
}

const nobody = { userId: systemPrincipal.userId, administrator: false };

export interface LogInResult {
  readonly sessionId: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs a database user in and opens a session in session-id mode. */
export async function logIn(context: AppKeyContext & Uses<LogInServices>, input: LogInInput): Promise<LogInResult> {
  const { sessionId, user } = await openPasswordSession(context, input, { mode: "session" });
  return { sessionId, user, databaseName: context.database.name };
}

export interface SecureLogInResult {
  /** The value of `Secure-Token`. */
  readonly sessionId: string;
  readonly user: SerializedObject;
  /** 32 bytes, for AES-256-CTR. */
  readonly symmetricKey: Uint8Array;
  /** 3 bytes, part of every counter block. */
  readonly ivPrefix: Uint8Array;
  readonly databaseName: string;
}

/** Logs a database user in and opens a session with encrypted traffic. */
export async function logInSecurely(
  context: AppKeyContext & Uses<LogInServices & { readonly channelSecrets: ChannelSecrets }>,
  input: LogInInput,
): Promise<SecureLogInResult> {
  const { alias, name: databaseName } = context.database;
  const symmetricKey = context.services.random.bytes(32);
  const ivPrefix = context.services.random.bytes(3);
  const channel = { wrappedKey: context.services.channelSecrets.wrapKey(alias, symmetricKey), ivPrefix };
  const { sessionId, user } = await openPasswordSession(context, input, {
    mode: "secure",
    channel,
  });
  return {
    sessionId: context.services.channelSecrets.sealSessionId(alias, sessionId),
    user,
    symmetricKey,
    ivPrefix,
    databaseName,
  };
}

export interface TokenLogInResult {
  /** Id of a session in session-id mode. The token is valid for the same session. */
  readonly sessionId?: string;
  readonly token: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs a database user in and opens a session with a token. */
export async function logInWithToken(
  context: AppKeyContext & Uses<LogInServices & { readonly tokens: Tokens }>,
  input: LogInInput,
  mode: TokenMode,
): Promise<TokenLogInResult> {
  const issue = await context.services.tokens.issuer(context.database);
  const { sessionId, userId, user } = await openPasswordSession(context, input, { mode });
  const result = { token: issue(userId, { mode, sessionId }), user, databaseName: context.database.name };
  return mode === "session" ? { sessionId, ...result } : result;
}
