import type { LogInMode } from "@sallyport/client";
import { isFullRun } from "./test-environment.ts";

/** The ways to log in. */
export const modes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];

/** The modes that suites run in: all in the full run, else one. `routes.test.ts` tries every route in the others. */
export const testedModes: readonly LogInMode[] = isFullRun ? modes : ["session"];

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
