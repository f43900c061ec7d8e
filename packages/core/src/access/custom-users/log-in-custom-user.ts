import { ownUserLinks, serializeOwnUser } from "../../objects/index.ts";
import type { AppKeyContext, Uses } from "../../request/index.ts";
import { acceptAppNames } from "../sessions/app-names.ts";
import type { LogInInput, LogInResult } from "../sessions/log-in.ts";
import { customUserKey } from "../gate/user-keys.ts";
import { loginNameOf } from "@sallyport/storage";
import type { ProvenCustomUser } from "./verify-custom-password.ts";
import type { LogInServices } from "../gate/gate.ts";
import { prepareCustomProof } from "./authenticate-by-hook.ts";

/** Logs in a custom user. The session in session-id mode belongs to the mapped database user. */
export async function logInCustomUser(
  context: AppKeyContext & Uses<LogInServices>,
  { user, pass, appNames, deviceId, ...shown }: LogInInput,
): Promise<LogInResult> {
  const links = ownUserLinks(context);
  let proven: ProvenCustomUser | null = null;
  const prepareProof = async () => {
    // Invalid app names are reported before a lockout.
    const [, prove] = await Promise.all([
      acceptAppNames(context, appNames),
      prepareCustomProof(context, { user, pass, appNames, links }),
    ]);
    return async () => {
      proven = await prove();
      return proven?.authenticated ?? null;
    };
  };
  const subject = { userKey: customUserKey(user), account: { realm: "custom", loginName: loginNameOf(user) } } as const;
  const attempt = { ...shown, ...subject, mode: "session", proof: prepareProof(), appNames, deviceId } as const;
  const { sessionId, prepared } = await context.services.gate.openSession(context, attempt, (authenticated) =>
    serializeOwnUser(context, authenticated),
  );
  // Runs after the session is opened, so that it does not affect the timing of a refusal.
  await (proven as ProvenCustomUser | null)?.afterwards().catch(() => {});
  return { sessionId, user: prepared, databaseName: context.database.name };
}
