import { type Statement, statement } from "../../../statement.ts";
import { objectColumns } from "./object-columns.ts";
import type { Tables } from "../tables.ts";

/** What every log-in looks up. */
export interface LogInStatements {
  /**
   * 1 login name, 2 links. The account (`known`) with its user object, the next one by name (`next`) and the first one
   * (`first`), as far as they exist; and the objects that the links of the user object point to (`linked`).
   */
  readonly accountForProof: Statement;
  /** 1 array of app names. */
  readonly knownApplications: Statement;
}

const columns = "user_id, login_name, secret, secret_version, administrator, disabled";

export function logInStatements({ accounts, applications, linkedObjects, objects }: Tables): LogInStatements {
  return {
    accountForProof: statement(
      "account_for_proof",
      `with found as (
        select 'known' as part, ${columns} from ${accounts} where login_name = $1::text
        union all (select 'next', ${columns} from ${accounts} where login_name > $1::text order by login_name limit 1)
        union all (select 'first', ${columns} from ${accounts} order by login_name limit 1)
      )
, person as (
        select o.* from found join ${objects} o on o.oid = found.user_id where found.part = 'known'
      )
      select found.*, ${objectColumns("o")} from found left join person o on found.part = 'known'
      union all
      select 'linked', null, null, null, null, null, null, ${objectColumns("t")}
      from person join ${objects} t on t.oid = any (${linkedObjects}(person.attributes, $2::text[]))`,
    ),
    knownApplications: statement("applications_known", `select name from ${applications} where name = any ($1::text[])`),
  };
}
