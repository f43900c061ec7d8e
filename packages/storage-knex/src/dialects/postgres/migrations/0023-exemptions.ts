import type { Migration } from "./migration.ts";
import { passThrottleFunction } from "./pass-throttle-function.ts";

/** Users who are known at an address are exempted from what others fail there. */
export const exemptions: Migration = {
  name: "0023-exemptions",
  statements: (tables) => [
    `drop function if exists ${tables.passThrottle} (text[], jsonb, text[], float8)`,
    passThrottleFunction(tables),
  ],
};
