import { departureSuite, logger } from "./departure-suite.ts";
import { onEngines } from "../engines.ts";
import { turnEnvironment, turnSuite } from "./turn-suite.ts";

onEngines("turns", turnSuite, { environment: turnEnvironment, on: ["Postgres", "embedded"] });
onEngines("departures", departureSuite, { logger, on: ["Postgres"] });
