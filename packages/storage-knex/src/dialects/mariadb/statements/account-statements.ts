import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { AccountStatements } from "../../../statements/account-statements.ts";
import { objectColumns } from "../objects/object-columns.ts";
import type { Tables } from "../tables.ts";
import { textsOf } from "./listed-values.ts";

const columns = "user_id, login_name, secret, secret_version, administrator, disabled";

export function accountStatements({ accounts, links, objects, removeAccounts }: Tables): AccountStatements {
  const person = `(select user_id from ${accounts} where login_name = $1)`;
  return {
    forProof: statement(
      "account_for_proof",
      `select found.*, ${objectColumns("o")} from (
        select 'known' as part, ${columns} from ${accounts} where login_name = $1
        union all (select 'next', ${columns} from ${accounts} where login_name > $1 order by login_name limit 1)
        union all (select 'first', ${columns} from ${accounts} order by login_name limit 1)
      ) found left join ${objects} o on found.part = 'known' and o.oid = found.user_id
      union all
      select 'linked', null, null, null, null, null, null, ${objectColumns("t")} from ${objects} t where t.oid in (
        select l.target from ${links} l where l.source = ${person} and l.attribute in (select value from ${textsOf(2)} listed)
      )`,
    ),
    create: additionUnlessKnown(
      "account_create",
      `insert into ${accounts} (user_id, login_name, confusable_key, secret, administrator) values ($1, $2, $3, $4, $5)`,
    ),
    remove: statement("account_remove", `call ${removeAccounts}($1)`),
  };
}
