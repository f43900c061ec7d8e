import { statement } from "../../../statement.ts";
import type { CustomAccountStatements } from "../../../knex-custom-account-repository.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

const columns = "id, login_name, user_id, email, secret, secret_version, disabled";

export function customAccountStatements({ customAccounts }: Tables): CustomAccountStatements {
  return {
    forProof: statement(
      "custom_account_for_proof",
      `select 'known' as part, ${columns} from ${customAccounts} where login_name = $1::text
      union all (select 'next', ${columns} from ${customAccounts} where login_name > $1::text order by login_name limit 1)
      union all (select 'first', ${columns} from ${customAccounts} order by login_name limit 1)`,
    ),
    create: statement(
      "custom_account_create",
      `insert into ${customAccounts} (id, login_name, confusable_key, user_id, email, secret)
      values ($1::uuid, $2::text, $3::text, $4::bigint, $5::text, $6::text) on conflict do nothing`,
    ),
    setUser: statement(
      "custom_account_set_user",
      `update ${customAccounts} set user_id = $2::bigint, secret_version = secret_version + 1 where id = $1::uuid`,
    ),
    request: statement(
      "custom_account_request",
      `update ${customAccounts}
      set pending_secret = $3::text, pending_code = $4::bytea, pending_tries = $5::integer, pending_until = ${storageTime(6)}
      where id = $1::uuid and secret_version = $2::integer`,
    ),
    pending: statement(
      "custom_account_pending",
      `select secret_version, pending_secret, pending_code, pending_tries, pending_tries > 0 and pending_until > ${storageTime(2)} as due
      from ${customAccounts} where id = $1::uuid and pending_secret is not null for update`,
    ),
  };
}
