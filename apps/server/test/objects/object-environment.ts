import { withoutLockout } from "../engines.ts";
import { macroEnvironment } from "../macro-fixture.ts";

/** Settings of the server: the smallest bound of answers that can be configured, debug messages, and the macro folder. */
export const objectEnvironment: Readonly<Record<string, string>> = {
  ...macroEnvironment,
  ...withoutLockout,
  MAX_RESPONSE_BYTES: String(2 * 1_048_576),
  DEBUG_MESSAGES: "true",
};
