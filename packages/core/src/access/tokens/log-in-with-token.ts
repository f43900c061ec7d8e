import type { AppKeyContext } from "../../request/index.ts";
import type { SerializedObject } from "../../storage/index.ts";
import type { EnterWithPassword, LogInInput } from "../sessions/enter-with-password.ts";
import type { TokenMode, Tokens } from "./tokens.ts";

export interface TokenLogInResult {
  /** Of a session in session-id mode, for which the token is good as well. */
  readonly sessionId?: string;
  readonly token: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens a session with a token for it. */
export class LogInWithToken {
  constructor(
    private readonly enterWithPassword: EnterWithPassword,
    private readonly tokens: Tokens,
  ) {}

  async run(context: AppKeyContext, input: LogInInput, mode: TokenMode): Promise<TokenLogInResult> {
    const issue = await this.tokens.issuer(context.database);
    const { sessionId, userId, user } = await this.enterWithPassword.run(context, input, { mode });
    const result = { token: issue(userId, { mode, sessionId }), user, databaseName: context.database.name };
    return mode === "session" ? { sessionId, ...result } : result;
  }
}
