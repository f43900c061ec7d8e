import type { Case } from "./case.ts";
import { logInCases } from "./log-in-cases.ts";
import { objectCases } from "./object-cases.ts";
import { sessionCases } from "./session-cases.ts";
import { transportCases } from "./transport-cases.ts";

/** The tables by the name of their suite. */
export const allCases: Readonly<Record<string, readonly Case[]>> = {
  "log-in": logInCases,
  sessions: sessionCases,
  transport: transportCases,
  objects: objectCases,
};
