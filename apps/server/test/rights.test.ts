import { rightsSuite } from "./rights-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("rights", rightsSuite);
