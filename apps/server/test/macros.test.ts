import { macroEnvironment, macroSuite } from "./macro-suite.ts";
import { suiteOnPostgres, withoutLockout } from "./suite-on-postgres.ts";

suiteOnPostgres("macros on Postgres", macroSuite, { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" });
