import { onEngines, withoutLockout } from "./engines.ts";
import { idempotencySuite } from "./idempotency-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { testedModes } from "./modes.ts";

describe("requests with an idempotency key", () => {
  for (const mode of testedModes)
    onEngines(`requests in mode ${mode}`, idempotencySuite(mode), {
      environment: { ...withoutLockout, ...macroEnvironment },
      count: 2,
    });
});
