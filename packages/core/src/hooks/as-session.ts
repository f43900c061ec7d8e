import type { SessionContext } from "../request/request-context.ts";
import { passwordEntrance } from "../sessions/entrance.ts";
import type { HookCaller } from "./hook-caller.ts";

/** The caller with a session. Whoever is about to get one has none that could own a lock: that is for what only reads. */
export function asSession(caller: HookCaller): SessionContext {
  const { session, appKey, principal } = caller;
  if (session !== undefined && session !== null) return caller as HookCaller & SessionContext;
  const opening = {
    mode: "session",
    appKeyId: appKey.id,
    userId: principal.userId,
    appNames: [],
    deviceId: null,
    entrance: passwordEntrance,
  } as const;
  return { ...caller, session: opening, sessionDigest: "", overCode: 201 };
}
