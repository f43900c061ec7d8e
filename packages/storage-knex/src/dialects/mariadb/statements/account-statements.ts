import { maximumObjectBytes } from "@sallyport/storage";
import { insertIgnoringDuplicates, statement } from "../../../sql-runner.ts";
import type { AccountStatements } from "../../../sql-account-repository.ts";
import { boundedColumns, objectColumns } from "../object-row.ts";
import { maxNameLength, type Tables } from "../tables.ts";
import { storageTime, textsOf } from "../expressions.ts";

const columns = "user_id, login_name, secret, secret_version, administrator, disabled, email";
const customColumns = "id, login_name, user_id, email, secret, secret_version, disabled";
/** The columns of an optional account under the alias `a`. */
const accountColumns = columns.replaceAll(/\w+/g, "a.$&");

export function accountStatements({
  accounts,
  customAccounts,
  objects,
  records,
  removeAccounts,
}: Tables): AccountStatements {
  const bound = `${records} l left join ${accounts} a on a.user_id = cast(conv(json_value(l.value, '$.userId'), 36, 10) as signed)`;
  const ofLink = `l.kind = 'identityLink' and l.id = $1 and l.expires_at > ${storageTime(3)}`;
  const named = "login_digest = unhex(sha2($1, 256))";
  return {
    byName: statement(
      "account_by_name",
      `select found.*, ${objectColumns("o")} from (
        select 'known' as part, ${columns} from ${accounts} where ${named}
        union all (select 'next', ${columns} from ${accounts} where login_start > left($1, ${maxNameLength}) order by login_start limit 1)
        union all (select 'first', ${columns} from ${accounts} order by login_start limit 1)
      ) found left join ${objects} o on found.part = 'known' and o.oid = found.user_id
      union all
      select 'linked', null, null, null, null, null, null, null, ${boundedColumns("t", maximumObjectBytes)} from ${objects} t where t.oid in (
        ${linkedNumbers(`${objects} u where u.oid = (select user_id from ${accounts} where ${named})`)}
      )`,
    ),
    customByName: statement(
      "custom_account_by_name",
      `select 'known' as part, ${customColumns} from ${customAccounts} where ${named}
      union all (select 'next', ${customColumns} from ${customAccounts} where login_start > left($1, ${maxNameLength}) order by login_start limit 1)
      union all (select 'first', ${customColumns} from ${customAccounts} order by login_start limit 1)`,
    ),
    byUser: statement(
      "account_by_user",
      `select 'known' as part, ${columns}, ${objectColumns("o")} from ${accounts} left join ${objects} o on o.oid = user_id where user_id = $1
      union all
      select 'linked', null, null, null, null, null, null, null, ${boundedColumns("t", maximumObjectBytes)} from ${objects} t where t.oid in (
        ${linkedNumbers(`${objects} u where u.oid = (select user_id from ${accounts} where user_id = $1)`)}
      )`,
    ),
    byLink: statement(
      "account_by_link",
      `select 'known' as part, ${accountColumns}, ${objectColumns("o")},
        l.id as link_id, l.born as link_born, l.value as link_value
      from ${bound} left join ${objects} o on o.oid = a.user_id where ${ofLink}
      union all
      select 'linked', null, null, null, null, null, null, null, ${boundedColumns("t", maximumObjectBytes)}, null, null, null
      from ${objects} t where t.oid in (
        ${linkedNumbers(`${objects} u where u.oid = (select a.user_id from ${bound} where ${ofLink})`)}
      )`,
    ),
    create: insertIgnoringDuplicates(
      "account_create",
      `insert into ${accounts} (user_id, login_name, confusable_key, secret, administrator, email) values ($1, $2, $3, $4, $5, $6)`,
    ),
    createCustom: insertIgnoringDuplicates(
      "custom_account_create",
      `insert into ${customAccounts} (user_id, login_name, confusable_key, secret, id, email) values ($1, $2, $3, $4, $5, $6)`,
    ),
    remove: statement("account_remove", `call ${removeAccounts}($1, $2, $3)`),
  };
}

/** The numbers of the objects whose ids are values of attributes (parameter 2): an id as text, or an array of ids. */
function linkedNumbers(holder: string): string {
  const values = `(select json_extract(u.attributes, concat('$.', listed.value)) as value from ${textsOf(2)} listed join ${holder})`;
  return `select cast(conv(link.id, 36, 10) as signed) from ${values} stored
    join json_table(if(json_type(stored.value) = 'ARRAY', stored.value, concat('[', stored.value, ']')), '$[*]' columns (id varchar(20) path '$')) link
    where link.id regexp '^[1-9A-Z][0-9A-Z]{0,9}$'`;
}
