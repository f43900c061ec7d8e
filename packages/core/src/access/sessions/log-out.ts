import { ServiceError } from "../../errors/index.ts";
import { type SessionContext, sessionEvent } from "../../request/index.ts";

/** Ends the session for every process; 703, unchanged, if storage fails. The later one of two at once: 201 or 203. */
export class LogOut {
  async logOut(context: SessionContext): Promise<void> {
    let ended: number;
    try {
      ended = await context.database.storage.transaction(async (r) => {
        const count = await r.sessions.end({ digest: context.sessionDigest });
        if (count > 0) await r.audit.append(sessionEvent(context, { type: "logout" }));
        return count;
      });
    } catch (cause) {
      // The record of the failure must not hide the failure; a database that is down cannot take it.
      await context.r.audit.append(sessionEvent(context, { type: "logout.failed", outcome: 703 })).catch(() => {});
      throw new ServiceError(703, { cause });
    }
    if (ended === 0) throw new ServiceError(context.overCode);
  }
}
