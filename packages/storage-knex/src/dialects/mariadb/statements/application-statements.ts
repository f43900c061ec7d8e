import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { ApplicationStatements } from "../../../statements/application-statements.ts";
import type { Tables } from "../tables.ts";
import { textsOf } from "./listed-values.ts";

export function applicationStatements({ applications }: Tables): ApplicationStatements {
  return {
    create: additionUnlessKnown("application_create", `insert into ${applications} (name, seats) values ($1, $2)`),
    known: statement("applications_known", `select a.name from ${textsOf(1)} listed join ${applications} a on a.name = listed.value group by a.name`),
  };
}
