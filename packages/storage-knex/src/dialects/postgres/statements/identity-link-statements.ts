import { statement } from "../../../statement.ts";
import type { IdentityLinkStatements } from "../../../knex-identity-link-repository.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function identityLinkStatements({ identityLinks }: Tables): IdentityLinkStatements {
  const columns = "id, provider, issuer, subject, user_id, shared, email, display_name";
  const read = `select ${columns}, ${epochMilliseconds("linked_at")} as linked from ${identityLinks}`;
  return {
    find: statement("identity_link_find", `${read} where issuer = $1::text and subject = $2::text`),
    create: statement(
      "identity_link_create",
      `insert into ${identityLinks} (${columns}, linked_at)
      values ($1::uuid, $2::text, $3::text, $4::text, $5::bigint, $6::boolean, $7::text, $8::text, ${storageTime(9)})
      on conflict (issuer, subject) do nothing`,
    ),
    ofUser: statement("identity_link_of_user", `${read} where user_id = $1::bigint order by provider, linked_at, id`),
    removeOne: statement("identity_link_remove", `delete from ${identityLinks} where id = $1::uuid returning id`),
    removeOfUser: statement(
      "identity_link_remove_user",
      `delete from ${identityLinks} where user_id = $1::bigint and provider = $2::text returning id`,
    ),
    list: statement(
      "identity_link_list",
      `${read} where id > $1::uuid or $1::uuid is null order by id limit $2::bigint`,
    ),
  };
}
