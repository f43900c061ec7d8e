import type { LogInMode } from "@sallyport/client";

/** The modes of database users. */
export const logInModes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** The credential header of each mode. */
export const headerOf: Readonly<Record<LogInMode, string>> = {
  session: "sessionid",
  token: "authorization",
  encrypted: "authorization",
  secure: "secure-token",
};

/** The code for an ended session. */
export const sessionEndedCode: Readonly<Record<LogInMode, string>> = {
  session: "201",
  token: "203",
  encrypted: "203",
  secure: "203",
};
