import { multiEnvironment, multiSuite } from "./multi-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("multi requests on Postgres", multiSuite, multiEnvironment);
