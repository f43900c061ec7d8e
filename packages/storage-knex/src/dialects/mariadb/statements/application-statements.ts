import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { ApplicationStatements } from "../../../knex-application-repository.ts";
import type { Tables } from "../tables.ts";
import { textsOf } from "./listed-values.ts";

export function applicationStatements({ applications }: Tables): ApplicationStatements {
  return {
    create: additionUnlessKnown(
      "application_create",
      `insert into ${applications} (name, seats, second_factor) values ($1, $2, $3)`,
    ),
    known: statement(
      "applications_known",
      `select a.name from ${textsOf(1)} listed join ${applications} a on a.name = listed.value group by a.name`,
    ),
    askingForFactors: statement(
      "applications_asking_for_factors",
      `select distinct a.name, a.second_factor from ${textsOf(1)} listed join ${applications} a on a.name = listed.value where a.second_factor <> 'off'`,
    ),
  };
}
