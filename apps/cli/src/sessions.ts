import type { AdministeredSessionData } from "@sallyport/client/admin";
import { byteText } from "@sallyport/client/terminal";
import type { CommandInput } from "./admin-command.ts";
import { everyItem, listed, type Outcome, spanText } from "./outcome.ts";

/** All live sessions, or those of a user, that `keep` accepts. */
export function liveSessions(
  { admin }: CommandInput,
  keep: (session: AdministeredSessionData) => boolean,
  user?: string,
): Promise<AdministeredSessionData[]> {
  return everyItem("sessions", (page) => admin.sessions.list({ ...page, user }), keep);
}

export function sessionTable(sessions: readonly AdministeredSessionData[]): Outcome {
  return listed("sessions", sessions, {
    ID: ({ id }) => id,
    USER: ({ user }) => user,
    "APP NAMES": ({ appNames }) => appNames.join(", "),
    DEVICE: ({ deviceId }) => deviceId ?? "none",
    ADDRESS: { whole: ({ address }) => address ?? "unknown" },
    AGE: { whole: ({ since }) => spanText(since) },
    LEFT: { whole: ({ expiresAt }) => spanText(expiresAt) },
    "APP KEY": ({ appKey }) => appKey,
    BYTES: ({ bytes }) => byteText(bytes.received + bytes.sent),
  });
}

/** The effect that a command would have on sessions, for `--dry-run`. `change`: such as `User "bob" would be disabled`. */
export function wouldEnd(change: string, sessions: readonly AdministeredSessionData[]): Outcome {
  const number = sessions.length === 1 ? "1 session" : `${sessions.length} sessions`;
  const text = `${change}. ${number} would end. Nothing was changed.`;
  const table = sessions.length === 0 ? "" : `\n${sessionTable(sessions).text}`;
  return { data: { sessions }, text: `${text}${table}` };
}
