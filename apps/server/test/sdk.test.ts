import { clientSuite } from "./client-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("the client, with a server on Postgres", clientSuite);
