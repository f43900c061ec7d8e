import { clientSuite } from "./client-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("the client, with a server on Postgres", clientSuite, macroEnvironment);
