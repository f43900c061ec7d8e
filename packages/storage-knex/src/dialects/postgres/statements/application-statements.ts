import { statement } from "../../../statement.ts";
import type { ApplicationStatements } from "../../../statements/application-statements.ts";
import type { Tables } from "../tables.ts";

export function applicationStatements({ applications }: Tables): ApplicationStatements {
  return {
    create: statement(
      "application_create",
      `insert into ${applications} (name, seats, second_factor) values ($1::text, $2::integer, $3::text) on conflict do nothing`,
    ),
    known: statement("applications_known", `select name from ${applications} where name = any ($1::text[])`),
    askingForFactors: statement(
      "applications_asking_for_factors",
      `select name, second_factor from ${applications} where name = any ($1::text[]) and second_factor <> 'off'`,
    ),
  };
}
