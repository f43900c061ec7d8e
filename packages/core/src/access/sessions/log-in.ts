import type { SerializedObject } from "@sallyport/storage";
import type { AppKeyContext, Uses } from "../../request/index.ts";
import type { ChannelSecrets } from "../channels/channel-secrets.ts";
import type { TokenMode, Tokens } from "../tokens/tokens.ts";
import { type LogInInput, openPasswordSession } from "./open-password-session.ts";
import type { LogInServices } from "../gate/gate.ts";

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
