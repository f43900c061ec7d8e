import { departureSuite } from "./departure-suite.ts";
import { suiteOnPostgres, withoutLockout } from "./suite-on-postgres.ts";

suiteOnPostgres("deleting on Postgres", departureSuite, withoutLockout);
