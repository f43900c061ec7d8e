import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { IdentityLinkStatements } from "../../../knex-identity-link-repository.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function identityLinkStatements({ identityLinks }: Tables): IdentityLinkStatements {
  const columns = "id, provider, issuer, subject, user_id, shared, email, display_name";
  const read = `select ${columns}, ${epochMilliseconds("linked_at")} as linked from ${identityLinks}`;
  return {
    find: statement("identity_link_find", `${read} where issuer = $1 and subject = $2`),
    create: additionUnlessKnown(
      "identity_link_create",
      `insert into ${identityLinks} (${columns}, linked_at) values ($1, $2, $3, $4, $5, $6, $7, $8, ${storageTime(9)})`,
    ),
    ofUser: statement("identity_link_of_user", `${read} where user_id = $1 order by provider, linked_at, id`),
    removeOne: statement("identity_link_remove", `delete from ${identityLinks} where id = $1 returning id`),
    removeOfUser: statement(
      "identity_link_remove_user",
      `delete from ${identityLinks} where user_id = $1 and provider = $2 returning id`,
    ),
    list: statement("identity_link_list", `${read} where id > $1 or $1 is null order by id limit $2`),
  };
}
