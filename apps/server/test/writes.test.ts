import { writeSuite } from "./write-suite.ts";
import { suiteOnPostgres, withoutLockout } from "./suite-on-postgres.ts";

suiteOnPostgres("writing on Postgres", writeSuite, withoutLockout);
