import { ServiceError } from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { builtInDigest } from "../appkeys/console-keys.ts";
import { seatChange } from "../licences/licence-messages.ts";
import type { GateServices } from "../gate/authentication-attempt.ts";

/** Ends the session in all processes. Storage failure: 703, and the session is unchanged. Session already ended: 201 or 203. */
export async function logOut(context: SessionContext & Uses<Pick<GateServices, "licenceMessages">>): Promise<void> {
  // The names of a session of a console take no seats, as those of the administrator's log-in.
  const appNames = context.appKeyDigest === builtInDigest ? [] : context.session.appNames;
  const { reservedNames } = context.session;
  // Its message is never required: users can log out while the licence server is away.
  const report = context.services.licenceMessages.report(
    context,
    seatChange(context, "session.ended", [...appNames, ...reservedNames]),
  );
  let ended: number;
  try {
    ended = await context.database.storage.transaction(async (r) => {
      const count = await r.sessions.end({ digest: context.sessionDigest });
      if (count === 0) return count;
      await r.audit.append(sessionEvent(context, { type: "logout.completed" }));
      await report?.queue(r);
      return count;
    });
  } catch (cause) {
    // A failure of the audit must not hide the original error. The database may be down for both.
    await context.r.audit.append(sessionEvent(context, { type: "logout.failed", outcome: 703 })).catch(() => {});
    throw new ServiceError(703, { cause });
  }
  if (ended === 0) throw new ServiceError(context.sessionEndedCode);
  report?.notify();
}
