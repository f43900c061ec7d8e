import { maximumObjectBytes } from "@sallyport/storage";
import { statement } from "../../../sql-runner.ts";
import type { AccountStatements } from "../../../sql-account-repository.ts";
import type { Tables } from "../tables.ts";
import { boundedColumns, objectColumns } from "./object-statements.ts";
import { storageTime } from "../expressions.ts";

const columns = "user_id, login_name, secret, secret_version, administrator, disabled, email";
const customColumns = "id, login_name, user_id, email, secret, secret_version, disabled";
/** The columns of an optional account under the alias `a`. */
const accountColumns = columns.replaceAll(/\w+/g, "a.$&");

/** The part of an account whose name is the parameter or follows it. */
const knownOrNext = "case when login_name = $1::text then 'known' else 'next' end as part";

const foundColumns = `link_id, link_born, link_value, ${columns}, oid, uuid, class, version, stored_at, readers, attributes`;

export function accountStatements({
  accounts,
  customAccounts,
  linkedObjects,
  objectNumber,
  objects,
  records,
  removeAccounts,
}: Tables): AccountStatements {
  return {
    byName: statement(
      "account_by_name",
      `with found as (
        (select ${knownOrNext}, ${columns} from ${accounts} where login_name >= $1::text order by login_name limit 2)
        union all (select 'first', ${columns} from ${accounts} order by login_name limit 1)
      ), person as (
        select o.* from found join ${objects} o on o.oid = found.user_id where found.part = 'known'
      )
      select found.*, ${objectColumns("o")} from found left join person o on found.part = 'known'
      union all
      select 'linked', null, null, null, null, null, null, null, ${boundedColumns("t", String(maximumObjectBytes))}
      from person join ${objects} t on t.oid = any (${linkedObjects}(person.attributes, $2::text[]))`,
    ),
    customByName: statement(
      "custom_account_by_name",
      `(select ${knownOrNext}, ${customColumns} from ${customAccounts} where login_name >= $1::text order by login_name limit 2)
      union all (select 'first', ${customColumns} from ${customAccounts} order by login_name limit 1)`,
    ),
    byUser: statement(
      "account_by_user",
      `select 'known' as part, ${columns}, ${objectColumns("o")} from ${accounts} left join ${objects} o on o.oid = user_id where user_id = $1::bigint
      union all
      select 'linked', null, null, null, null, null, null, null, ${boundedColumns("t", String(maximumObjectBytes))}
      from ${accounts} join ${objects} o on o.oid = user_id join ${objects} t on t.oid = any (${linkedObjects}(o.attributes, $2::text[]))
      where user_id = $1::bigint`,
    ),
    byLink: statement(
      "account_by_link",
      `with found as materialized (
        select l.id as link_id, l.born as link_born, l.value as link_value, ${accountColumns}, ${objectColumns("o")}
        from ${records} l left join ${accounts} a on a.user_id = ${objectNumber}(l.value ->> 'userId') left join ${objects} o on o.oid = a.user_id
        where l.kind = 'identityLink' and l.id = $1::text and l.expires_at > ${storageTime(3)}
      )
      select 'known' as part, ${foundColumns} from found
      union all
      select 'linked', null, null, null, null, null, null, null, null, null, null, ${boundedColumns("t", String(maximumObjectBytes))}
      from found join ${objects} t on t.oid = any (case when found.attributes is null then '{}' else ${linkedObjects}(found.attributes, $2::text[]) end)`,
    ),
    create: statement(
      "account_create",
      `insert into ${accounts} (user_id, login_name, confusable_key, secret, administrator, email)
      values ($1::bigint, $2::text, $3::text, $4::text, $5::boolean, $6::text) on conflict do nothing`,
    ),
    createCustom: statement(
      "custom_account_create",
      `insert into ${customAccounts} (user_id, login_name, confusable_key, secret, id, email)
      values ($1::bigint, $2::text, $3::text, $4::text, $5::uuid, $6::text) on conflict do nothing`,
    ),
    remove: statement("account_remove", `select ${removeAccounts}($1::bigint[], $2::text[], $3::uuid[]) as removed`),
  };
}
