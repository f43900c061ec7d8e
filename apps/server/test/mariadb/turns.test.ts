import { departureSuite, logger } from "../requests/departure-suite.ts";
import { onEngines } from "../engines.ts";
import { turnEnvironment, turnSuite } from "../requests/turn-suite.ts";

onEngines("turns", turnSuite, { environment: turnEnvironment, on: ["MariaDB"] });
onEngines("departures", departureSuite, { logger, on: ["MariaDB"] });
