import type { SerializeOwnUser } from "../../objects/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { Gate } from "../gate/gate.ts";
import { acceptAppNames } from "../sessions/app-names.ts";
import type { LogInInput } from "../sessions/open-password-session.ts";
import type { LogInResult } from "../sessions/log-in.ts";
import { customUserKey } from "../gate/user-keys.ts";
import { loginNameOf } from "@sallyport/storage";
import type { ProveCustomUser, ProvenCustomUser } from "./verify-custom-password.ts";

/** Logs in a custom user. The session in session-id mode belongs to the mapped database user. */
export class LogInCustomUser {
  constructor(
    private readonly gate: Gate,
    private readonly proveCustomUser: ProveCustomUser,
    private readonly serializeOwnUser: SerializeOwnUser,
  ) {}

  async logInCustomUser(
    context: AppKeyContext,
    { user, pass, appNames, deviceId, ...shown }: LogInInput,
  ): Promise<LogInResult> {
    const links = this.serializeOwnUser.links(context);
    let proven: ProvenCustomUser | null = null;
    const prepareProof = async () => {
      // Invalid app names are reported before a lockout.
      const [, prove] = await Promise.all([
        acceptAppNames(context, appNames),
        this.proveCustomUser.prepare(context, { user, pass, appNames, links }),
      ]);
      return async () => {
        proven = await prove();
        return proven?.authenticated ?? null;
      };
    };
    const known = { userKey: customUserKey(user), account: { realm: "custom", loginName: loginNameOf(user) } } as const;
    const attempt = { ...shown, ...known, mode: "session", prepareProof, appNames, deviceId } as const;
    const { sessionId, prepared } = await this.gate.openSession(context, attempt, (authenticated) =>
      this.serializeOwnUser.serializeOwnUser(context, authenticated),
    );
    // Runs after the session is opened, so that it does not affect the timing of a refusal.
    await (proven as ProvenCustomUser | null)?.afterwards(context).catch(() => {});
    return { sessionId, user: prepared, databaseName: context.database.name };
  }
}
