import type { Digest, Finding, FindingReader, SessionMode } from "@sallyport/storage";
import { type Database, discardingWrites, requestChecks } from "../../request/index.ts";
import type { SessionReference } from "./credential-reader.ts";

const modes: readonly SessionMode[] = ["session", "token", "secure"];

/** Why a readable credential names no session for this request. */
export function sessionFindings({ digest, mode }: SessionReference, appKey: Digest | null): FindingReader {
  return ({ storage, policy }: Database): Promise<Finding[]> =>
    discardingWrites(storage, async ({ admission, sessions }) => {
      const asked = requestChecks.session;
      const { idleTimeout } = policy.sessions;
      for (const other of modes.filter((each) => each !== mode)) {
        const { session, principal } = await admission.admit({ appKey, session: digest, mode: other, idleTimeout });
        if (session === null) continue;
        const found = `No: the session has mode ${other}, but the credential came in the header of mode ${mode}.`;
        return [{ asked, found, accountId: principal?.userId ?? session.userId }];
      }
      const live = await sessions.end({ digest });
      return [
        { asked, found: live > 0 ? notForThisRequest : "No: there is none. It expired, was ended, or never existed." },
      ];
    });
}

const notForThisRequest =
  "No: it is live, but another app key opened it, the password changed, the account was disabled, or the link was removed.";
