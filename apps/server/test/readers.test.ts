import { readersSuite } from "./readers-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("readers on Postgres", readersSuite);
