import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("custom users on Postgres", customUserSuite, customUserEnvironment);
