import type { LogInMode } from "@sallyport/client";
import { isFullRun } from "@sallyport/test-kit/scope";

/** The log-in modes. */
export const modes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** The modes of the suites: all in the full run, else one. `routes.test.ts` tries every route in the others. */
export const testedModes: readonly LogInMode[] = isFullRun ? modes : ["session"];

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
