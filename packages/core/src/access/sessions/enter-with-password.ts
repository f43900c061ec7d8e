import type { SerializeOwnUser } from "../../objects/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import {
  type Channel,
  loginNameOf,
  type ObjectId,
  type SerializedObject,
  type SessionMode,
} from "../../storage/index.ts";
import type { VerifyPassword } from "../accounts/verify-password.ts";
import type { AuthenticationAttempt } from "../gate/authentication-attempt.ts";
import type { Gate } from "../gate/gate.ts";
import type { ShownFactor } from "../second-factors/check-second-factors.ts";
import { acceptAppNames } from "./app-names.ts";

export interface LogInInput {
  readonly user: string;
  /** Plain, or as clients send it. */
  readonly pass: string;
  readonly appNames: readonly string[];
  readonly deviceId: string | null;
  /** What it brings for second factors; nothing unless given. */
  readonly secondFactor?: ShownFactor;
  /** As of `Claim`. */
  readonly claimMessage?: NonNullable<AuthenticationAttempt["claimMessage"]>;
}

export interface WantedSession {
  readonly mode: SessionMode;
  readonly channel?: Channel;
  /** As of `Claim`. */
  readonly alongside?: NonNullable<AuthenticationAttempt["alongside"]>;
}

export interface PasswordSession {
  /** What the credential of the session is made of; storage knows its digest only. */
  readonly sessionId: string;
  readonly userId: ObjectId;
  readonly user: SerializedObject;
}

/** Takes a database user with name and password through the gate, for every log-in mode. */
export class EnterWithPassword {
  constructor(
    private readonly gate: Gate,
    private readonly verifyPassword: VerifyPassword,
    private readonly serializeOwnUser: SerializeOwnUser,
  ) {}

  async enterWithPassword(
    context: AppKeyContext,
    { user, pass, appNames, deviceId, ...shown }: LogInInput,
    wanted: WantedSession,
  ): Promise<PasswordSession> {
    const { clientHash } = context.database.policy;
    const links = this.serializeOwnUser.links(context);
    const prepareProof = async () => {
      // Names that are not accepted are told before a lockout is.
      const [, prove] = await Promise.all([
        acceptAppNames(context, appNames),
        this.verifyPassword.prepare(context.r.accounts, { user, pass, clientHash, links }),
      ]);
      return prove;
    };
    const attempt = { ...wanted, ...shown, userKey: databaseUserKey(user), prepareProof, appNames, deviceId };
    const opened = await this.gate.enter(context, attempt, (person) =>
      this.serializeOwnUser.serializeOwnUser(context, person),
    );
    const { account } = opened.person;
    // After the entry, so that the time of a refusal never tells of it.
    await this.verifyPassword.renew(context.r.accounts, account, { pass, clientHash });
    return { sessionId: opened.sessionId, userId: account.userId, user: opened.prepared };
  }
}

/** Whose failures those of a name are. The keys of other ways in hold U+0000, which no user name does: nobody counts failures for them here. */
function databaseUserKey(user: string): string {
  return loginNameOf(user).replaceAll("\0", "\uFFFD");
}
