import { statement } from "../../../statement.ts";
import type { SecondFactorStatements } from "../../../knex-second-factor-repository.ts";
import type { Tables } from "../tables.ts";
import { textsOf } from "./listed-values.ts";

export function secondFactorStatements({ secondFactors }: Tables): SecondFactorStatements {
  const columns = "f.subject, f.app_name, f.sealed_secret, f.confirmed, f.last_step, f.recovery_codes";
  const one = "subject = $1 and app_name = $2";
  return {
    find: statement(
      "second_factors_find",
      `select ${columns} from ${secondFactors} f where f.subject = $1 and f.app_name in (select listed.value from ${textsOf(2)} listed) order by f.app_name`,
    ),
    enrol: statement(
      "second_factor_enrol",
      `insert into ${secondFactors} (subject, app_name, sealed_secret, recovery_codes) values ($1, $2, $3, $4)
      on duplicate key update sealed_secret = if(confirmed, sealed_secret, $3), recovery_codes = if(confirmed, recovery_codes, $4),
        last_step = if(confirmed, last_step, -1)`,
    ),
    has: statement("second_factor_has", `select 1 from ${secondFactors} where ${one} and sealed_secret = $3`),
    accept: statement(
      "second_factor_accept",
      `update ${secondFactors} set last_step = $4, confirmed = true where ${one} and sealed_secret = $3 and last_step < $4`,
    ),
    recover: statement(
      "second_factor_recover",
      `update ${secondFactors} set recovery_codes = json_remove(recovery_codes, json_unquote(json_search(recovery_codes, 'one', $3)))
      where ${one} and confirmed and json_contains(recovery_codes, json_quote($3))`,
    ),
    remove: statement(
      "second_factors_remove",
      `delete from ${secondFactors} where subject = $1 and ($2 is null or app_name = $2)`,
    ),
    list: statement(
      "second_factors_list",
      `select ${columns} from ${secondFactors} f
      where $1 is null or f.subject > $1 or (f.subject = $1 and f.app_name > $2)
      order by f.subject, f.app_name limit $3`,
    ),
  };
}
