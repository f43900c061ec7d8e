import { statement } from "../../../statement.ts";
import type { SecondFactorStatements } from "../../../knex-second-factor-repository.ts";
import type { Tables } from "../tables.ts";

export function secondFactorStatements({ secondFactors }: Tables): SecondFactorStatements {
  const columns = "subject, app_name, sealed_secret, confirmed, last_step, recovery_codes";
  const one = "subject = $1::text and app_name = $2::text";
  return {
    find: statement(
      "second_factors_find",
      `select ${columns} from ${secondFactors} where subject = $1::text and app_name = any ($2::text[]) order by app_name`,
    ),
    enrol: statement(
      "second_factor_enrol",
      `insert into ${secondFactors} as known (subject, app_name, sealed_secret, recovery_codes) values ($1::text, $2::text, $3::text, $4::jsonb)
      on conflict (subject, app_name) do update
      set sealed_secret = excluded.sealed_secret, recovery_codes = excluded.recovery_codes, last_step = -1
      where not known.confirmed`,
    ),
    has: statement("second_factor_has", `select from ${secondFactors} where ${one} and sealed_secret = $3::text`),
    accept: statement(
      "second_factor_accept",
      `update ${secondFactors} set last_step = $4::bigint, confirmed = true where ${one} and sealed_secret = $3::text and last_step < $4::bigint`,
    ),
    recover: statement(
      "second_factor_recover",
      `update ${secondFactors} set recovery_codes = recovery_codes - $3::text
      where ${one} and confirmed and recovery_codes @> jsonb_build_array($3::text)`,
    ),
    remove: statement(
      "second_factors_remove",
      `delete from ${secondFactors} where subject = $1::text and ($2::text is null or app_name = $2::text)`,
    ),
    list: statement(
      "second_factors_list",
      `select ${columns} from ${secondFactors}
      where $1::text is null or (subject, app_name) > ($1::text, $2::text)
      order by subject, app_name limit $3::bigint`,
    ),
  };
}
