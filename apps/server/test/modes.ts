import type { LogInMode } from "@sallyport/client";

/** The ways to log in. */
export const modes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** The header that proves a session of each mode. */
export const headerOf: Readonly<Record<LogInMode, string>> = {
  session: "sessionid",
  token: "authorization",
  encrypted: "authorization",
  secure: "secure-token",
};

/** How a session that is over is refused. */
export const overCode: Readonly<Record<LogInMode, string>> = {
  session: "201",
  token: "203",
  encrypted: "203",
  secure: "203",
};
