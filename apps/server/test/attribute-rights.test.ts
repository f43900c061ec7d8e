import { attributeRightsSuite } from "./attribute-rights-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

suiteOnPostgres("rights on attributes, on Postgres", attributeRightsSuite, { DEBUG_MESSAGES: "true" });
