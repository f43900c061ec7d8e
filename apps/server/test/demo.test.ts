import { demoSuite } from "./demo-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("the demo", demoSuite);
