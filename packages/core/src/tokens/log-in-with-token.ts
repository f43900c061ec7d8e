import type { SerializedObject } from "../objects/serialized-object.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { EnterWithPassword, LogInInput } from "../sessions/enter-with-password.ts";
import type { Tokens } from "./tokens.ts";

export interface TokenLogInResult {
  readonly user: SerializedObject;
  readonly token: string;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens a session in token mode. */
export class LogInWithToken {
  constructor(
    private readonly enterWithPassword: EnterWithPassword,
    private readonly tokens: Tokens,
  ) {}

  async run(context: AppKeyContext, input: LogInInput): Promise<TokenLogInResult> {
    const issue = await this.tokens.issuer(context.database);
    const { sessionId, userId, user } = await this.enterWithPassword.run(context, input, { mode: "token" });
    return { user, token: issue(userId, { mode: "token", sessionId }), databaseName: context.database.name };
  }
}
