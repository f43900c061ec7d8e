import { multiEnvironment, multiSuite } from "./multi-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("multi requests", multiSuite, { environment: multiEnvironment });
