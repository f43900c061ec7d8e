import type { SerializedObject } from "../objects/serialized-object.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { EnterWithPassword, LogInInput } from "../sessions/enter-with-password.ts";
import type { Tokens } from "./tokens.ts";

export interface DoubleLogInResult {
  readonly sessionId: string;
  readonly token: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens one session, with a session id and a token for it. */
export class LogInWithBoth {
  constructor(
    private readonly enterWithPassword: EnterWithPassword,
    private readonly tokens: Tokens,
  ) {}

  async run(context: AppKeyContext, input: LogInInput): Promise<DoubleLogInResult> {
    const issue = await this.tokens.issuer(context.database);
    const { sessionId, userId, user } = await this.enterWithPassword.run(context, input, { mode: "session" });
    return { sessionId, token: issue(userId, { mode: "session", sessionId }), user, databaseName: context.database.name };
  }
}
