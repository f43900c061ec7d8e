import type { VerifyPassword } from "../accounts/verify-password.ts";
import { loginNameOf } from "../accounts/login-name.ts";
import type { Gate } from "../gate/gate.ts";
import type { SerializedObject } from "../objects/serialized-object.ts";
import type { SerializeOwnUser } from "../objects/serialize-own-user.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import { acceptAppNames } from "./app-names.ts";

export interface LogInInput {
  readonly user: string;
  /** Plain, or as clients send it. */
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
}

export interface LogInResult {
  readonly sessionId: string;
  readonly user: SerializedObject;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens a session in session-id mode. */
export class LogIn {
  constructor(
    private readonly gate: Gate,
    private readonly verifyPassword: VerifyPassword,
    private readonly serializeOwnUser: SerializeOwnUser,
  ) {}

  async run(context: AppKeyContext, { user, pass, appNames, deviceId }: LogInInput): Promise<LogInResult> {
    const { clientHash } = context.database.policy;
    const prepareProof = async () => {
      // Names that are not accepted are told before a lockout is.
      const [, prove] = await Promise.all([
        acceptAppNames(context, appNames),
        this.verifyPassword.prepare(context.r.accounts, { user, pass, clientHash }),
      ]);
      return prove;
    };
    const claim = { mode: "session", userKey: loginNameOf(user), prepareProof, appNames, deviceId } as const;
    const entry = await this.gate.enter(context, claim, (person, r) => this.serializeOwnUser.run({ ...context, r }, person));
    // After the entry, so that the time of a refusal never tells of it.
    await this.verifyPassword.renew(context.r.accounts, entry.person.account, { pass, clientHash });
    return { sessionId: entry.sessionId, user: entry.prepared, databaseName: context.database.name };
  }
}
