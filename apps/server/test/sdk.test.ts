import { clientSuite } from "./client-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("the client", clientSuite, { environment: macroEnvironment });
