import { doorEnvironment, doorSuite } from "./doors/door-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("doors", doorSuite, { environment: doorEnvironment });
