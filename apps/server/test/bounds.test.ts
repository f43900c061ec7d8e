import { boundEnvironment, boundSuite } from "./bound-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("bounds of answers on Postgres", boundSuite, boundEnvironment);
