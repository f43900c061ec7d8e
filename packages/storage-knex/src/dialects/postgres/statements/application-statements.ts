import { statement } from "../../../statement.ts";
import type { ApplicationStatements } from "../../../statements/application-statements.ts";
import type { Tables } from "../tables.ts";

export function applicationStatements({ applications }: Tables): ApplicationStatements {
  return {
    create: statement("application_create", `insert into ${applications} (name, seats) values ($1::text, $2::integer) on conflict do nothing`),
    known: statement("applications_known", `select name from ${applications} where name = any ($1::text[])`),
  };
}
