import { hookEnvironment, hookSuite } from "./hook-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("hooks", hookSuite, { environment: hookEnvironment });
