import { rightsSuite } from "./rights-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("rights on Postgres", rightsSuite);
