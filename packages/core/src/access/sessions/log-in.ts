import type { AppKeyContext } from "../../request/index.ts";
import type { SerializedObject } from "../../storage/index.ts";
import type { EnterWithPassword, LogInInput } from "./enter-with-password.ts";

export interface LogInResult {
  readonly sessionId: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens a session in session-id mode. */
export class LogIn {
  constructor(private readonly enterWithPassword: EnterWithPassword) {}

  async run(context: AppKeyContext, input: LogInInput): Promise<LogInResult> {
    const { sessionId, user } = await this.enterWithPassword.run(context, input, { mode: "session" });
    return { sessionId, user, databaseName: context.database.name };
  }
}
