import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { KeyStatements } from "../../../knex-key-repository.ts";
import type { Tables } from "../tables.ts";
import { earlier, epochMilliseconds, storageTime } from "./storage-time.ts";

export function keyStatements({ keys, rotateKey }: Tables): KeyStatements {
  const columns = `kind, key_id, public_key, wrapped_private_key,
    ${epochMilliseconds("created_at")} as created_at, ${epochMilliseconds("accepted_until")} as accepted_until`;
  // Stands in the place of a private half that was swept away.
  const swept = "''";
  return {
    current: statement("key_current", `select ${columns} from ${keys} where current_kind = $1`),
    accepted: statement(
      "key_accepted",
      `select ${columns} from ${keys} k
      where kind = $1 and (k.accepted_until is null or k.accepted_until > ${storageTime(2)})
      order by k.accepted_until is null desc, position desc`,
    ),
    kept: statement(
      "key_kept",
      `select ${columns} from ${keys} k
      where kind = $1 and (k.accepted_until is null or wrapped_private_key <> ${swept})
      order by k.accepted_until is null desc, k.accepted_until > ${storageTime(2)} desc, position desc`,
    ),
    addFirst: additionUnlessKnown(
      "key_add_first",
      `insert into ${keys} (kind, key_id, public_key, wrapped_private_key, created_at) values ($1, $2, $3, $4, ${storageTime(5)})`,
    ),
    rotate: statement("key_rotate", `call ${rotateKey}($1, $2, $3, $4, $5, $6, $7)`),
    sweep: statement(
      "key_sweep",
      `update ${keys} set wrapped_private_key = ${swept}
      where accepted_until <= ${earlier(storageTime(3), "$1")} and wrapped_private_key <> ${swept}
      order by position limit $2`,
    ),
  };
}
