import { classSuite } from "./class-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("classes on Postgres", classSuite);
