import { openSessionFunction } from "./open-session-function.ts";
import { passThrottleFunction } from "./pass-throttle-function.ts";
import type { Migration } from "./migration.ts";

/**
 * What opens a session refuses with an error of its own, so that a commit may be sent before the answer is known. As
 * functions they also cost less than the statements with common table expressions that they replace.
 */
export const entryFunctions: Migration = {
  name: "0004-entry-functions",
  statements: (tables) => [openSessionFunction(tables), passThrottleFunction(tables)],
};
