import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { customPasswordEnvironment, customPasswordSuite } from "./custom-password-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("custom users on Postgres", customUserSuite, customUserEnvironment);

suiteOnPostgres("passwords of custom users on Postgres", customPasswordSuite, {
  ...customUserEnvironment,
  ...customPasswordEnvironment,
});
