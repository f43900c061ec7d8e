import { boundEnvironment, boundSuite } from "./bound-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("bounds of answers", boundSuite, { environment: boundEnvironment });
