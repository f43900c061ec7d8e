import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { CustomAccountStatements } from "../../../knex-custom-account-repository.ts";
import { longestName } from "../longest-name.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

const columns = "id, login_name, user_id, email, secret, secret_version, disabled";

export function customAccountStatements({ customAccounts }: Tables): CustomAccountStatements {
  return {
    forProof: statement(
      "custom_account_for_proof",
      `select 'known' as part, ${columns} from ${customAccounts} where login_digest = unhex(sha2($1, 256))
      union all (select 'next', ${columns} from ${customAccounts} where login_start > left($1, ${longestName}) order by login_start limit 1)
      union all (select 'first', ${columns} from ${customAccounts} order by login_start limit 1)`,
    ),
    create: additionUnlessKnown(
      "custom_account_create",
      `insert into ${customAccounts} (id, login_name, confusable_key, user_id, email, secret) values ($1, $2, $3, $4, $5, $6)`,
    ),
    setUser: statement(
      "custom_account_set_user",
      `update ${customAccounts} set user_id = $2, secret_version = secret_version + 1 where id = $1`,
    ),
    request: statement(
      "custom_account_request",
      `update ${customAccounts} set pending_secret = $3, pending_code = $4, pending_tries = $5, pending_until = ${storageTime(6)}
      where id = $1 and secret_version = $2`,
    ),
    pending: statement(
      "custom_account_pending",
      `select secret_version, pending_secret, pending_code, pending_tries, pending_tries > 0 and pending_until > ${storageTime(2)} as due
      from ${customAccounts} where id = $1 and pending_secret is not null for update`,
    ),
  };
}
