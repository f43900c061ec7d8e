import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { customPasswordEnvironment, customPasswordSuite } from "./custom-password-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("custom users", customUserSuite, { environment: customUserEnvironment });

onEngines("passwords of custom users", customPasswordSuite, {
  environment: {
    ...customUserEnvironment,
    ...customPasswordEnvironment,
  },
});
