import type { RandomSource, SerializedObject } from "@sallyport/storage";
import type { AppKeyContext } from "../../request/index.ts";
import type { ChannelSecrets } from "../channels/channel-secrets.ts";
import type { TokenMode, Tokens } from "../tokens/tokens.ts";
import type { OpenPasswordSession, LogInInput } from "./open-password-session.ts";

export interface LogInResult {
  readonly sessionId: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs a database user in and opens a session in session-id mode. */
export class LogIn {
  constructor(private readonly openPasswordSession: OpenPasswordSession) {}

  async logIn(context: AppKeyContext, input: LogInInput): Promise<LogInResult> {
    const { sessionId, user } = await this.openPasswordSession.openPasswordSession(context, input, { mode: "session" });
    return { sessionId, user, databaseName: context.database.name };
  }
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
export class LogInSecurely {
  constructor(
    private readonly openPasswordSession: OpenPasswordSession,
    private readonly secrets: ChannelSecrets,
    private readonly random: RandomSource,
  ) {}

  async logInSecurely(context: AppKeyContext, input: LogInInput): Promise<SecureLogInResult> {
    const { alias, name: databaseName } = context.database;
    const symmetricKey = this.random.bytes(32);
    const ivPrefix = this.random.bytes(3);
    const channel = { wrappedKey: this.secrets.wrapKey(alias, symmetricKey), ivPrefix };
    const { sessionId, user } = await this.openPasswordSession.openPasswordSession(context, input, {
      mode: "secure",
      channel,
    });
    return { sessionId: this.secrets.sealSessionId(alias, sessionId), user, symmetricKey, ivPrefix, databaseName };
  }
}

export interface TokenLogInResult {
  /** Id of a session in session-id mode. The token is valid for the same session. */
  readonly sessionId?: string;
  readonly token: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs a database user in and opens a session with a token. */
export class LogInWithToken {
  constructor(
    private readonly openPasswordSession: OpenPasswordSession,
    private readonly tokens: Tokens,
  ) {}

  async logInWithToken(context: AppKeyContext, input: LogInInput, mode: TokenMode): Promise<TokenLogInResult> {
    const issue = await this.tokens.issuer(context.database);
    const { sessionId, userId, user } = await this.openPasswordSession.openPasswordSession(context, input, { mode });
    const result = { token: issue(userId, { mode, sessionId }), user, databaseName: context.database.name };
    return mode === "session" ? { sessionId, ...result } : result;
  }
}
