import { writeSuite } from "./write-suite.ts";
import { onEngines, withoutLockout } from "./engines.ts";

onEngines("writing", writeSuite, { environment: withoutLockout });
