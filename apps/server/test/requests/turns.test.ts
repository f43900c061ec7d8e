import { isFullRun } from "@sallyport/test-kit/scope";
import { departureSuite, logger } from "./departure-suite.ts";
import { onEngines } from "../engines.ts";
import { turnEnvironment, turnSuite } from "./turn-suite.ts";

// Persons take turns above the storage, so only the full run also tries the engine with one connection.
onEngines("turns", turnSuite, {
  environment: turnEnvironment,
  on: isFullRun ? ["Postgres", "embedded"] : ["Postgres"],
});
onEngines("departures", departureSuite, { logger, on: ["Postgres"] });
