import { departureSuite } from "./departure-suite.ts";
import { onEngines, withoutLockout } from "./engines.ts";

onEngines("deleting", departureSuite, { environment: withoutLockout });
