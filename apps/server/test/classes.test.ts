import { classSuite } from "./class-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("classes", classSuite);
