import { statement } from "../../../statement.ts";
import type { KeyStatements } from "../../../statements/key-statements.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function keyStatements({ keys }: Tables): KeyStatements {
  const columns = `kind, key_id, public_key, wrapped_private_key,
    ${epochMilliseconds("created_at")} as created_at, ${epochMilliseconds("accepted_until")} as accepted_until`;
  const added = "(kind, key_id, public_key, wrapped_private_key, created_at)";
  // Stands in the place of a private half that was swept away.
  const swept = "''";
  const values = `$1::text, $2::text, $3::text, $4::text, ${storageTime(5)}`;
  return {
    current: statement(
      "key_current",
      `select ${columns} from ${keys} where kind = $1::text and accepted_until is null`,
    ),
    accepted: statement(
      "key_accepted",
      `select ${columns} from ${keys}
      where kind = $1::text and (accepted_until is null or accepted_until > ${storageTime(2)})
      order by accepted_until is null desc, position desc`,
    ),
    kept: statement(
      "key_kept",
      `select ${columns} from ${keys}
      where kind = $1::text and (accepted_until is null or wrapped_private_key <> ${swept})
      order by accepted_until is null desc, accepted_until > ${storageTime(2)} desc, position desc`,
    ),
    addFirst: statement(
      "key_add_first",
      `insert into ${keys} ${added} values (${values}) on conflict (kind) where accepted_until is null do nothing`,
    ),
    rotate: statement(
      "key_rotate",
      `with retired as (
        update ${keys} set accepted_until = ${storageTime(5)} + $7::float8 * interval '1 millisecond'
        where kind = $1::text and key_id = $6::text and accepted_until is null
          and not exists (select from ${keys} where kind = $1::text and key_id = $2::text)
        returning key_id
      )
      insert into ${keys} ${added} select ${values} from retired`,
    ),
    sweep: statement(
      "key_sweep",
      `update ${keys} set wrapped_private_key = ${swept} where (kind, key_id) in (
        select kind, key_id from ${keys}
        where accepted_until <= ${storageTime(3)} - $1::float8 * interval '1 millisecond' and wrapped_private_key <> ${swept}
        order by kind, key_id limit $2::bigint for update skip locked
      )`,
    ),
  };
}
