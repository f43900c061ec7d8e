import { passwordSuite } from "./password-suite.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";
import { suiteOnPostgres, withoutLockout } from "./suite-on-postgres.ts";

suiteOnPostgres("passwords on Postgres", passwordSuite, { ...storedServerKeys, ...withoutLockout });
