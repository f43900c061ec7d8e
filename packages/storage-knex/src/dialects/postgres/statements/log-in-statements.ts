import { type Statement, statement } from "../../../statement.ts";
import { objectColumns } from "./object-columns.ts";
import type { Tables } from "../tables.ts";

/** What every log-in looks up. */
export interface LogInStatements {
  /** 1 login name. */
  readonly accountByName: Statement;
  /** 1 login name. The account (`known`) with its user object, the next one by name (`next`) and the first one (`first`), as far as they exist. */
  readonly accountForProof: Statement;
  /** 1 array of app names. */
  readonly knownApplications: Statement;
}

const columns = "user_id, login_name, secret, secret_version, administrator, disabled";

export function logInStatements({ accounts, applications, objects }: Tables): LogInStatements {
  return {
    accountByName: statement(
      "account_by_name",
      `select ${columns} from ${accounts} where login_name = $1::text`,
    ),
    accountForProof: statement(
      "account_for_proof",
      `with found as (
        select 'known' as part, ${columns} from ${accounts} where login_name = $1::text
        union all (select 'next', ${columns} from ${accounts} where login_name > $1::text order by login_name limit 1)
        union all (select 'first', ${columns} from ${accounts} order by login_name limit 1)
      )
      select found.*, ${objectColumns("o")} from found left join ${objects} o on o.oid = found.user_id and found.part = 'known'`,
    ),
    knownApplications: statement("applications_known", `select name from ${applications} where name = any ($1::text[])`),
  };
}
