import { readersSuite } from "./readers-suite.ts";
import { onEngines } from "./engines.ts";

onEngines("readers", readersSuite);
