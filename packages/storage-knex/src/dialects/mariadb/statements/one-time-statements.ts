import { additionUnlessKnown, statement } from "../../../statement.ts";
import type { OneTimeStatements } from "../../../knex-one-time-repository.ts";
import type { Tables } from "../tables.ts";
import { later, storageTime } from "./storage-time.ts";

export function oneTimeStatements({ issueOneTime, oneTimeSecrets }: Tables): OneTimeStatements {
  const named = "kind = $1 and digest = $2";
  const now = storageTime(3);
  return {
    issue: additionUnlessKnown(
      "one_time_issue",
      `insert into ${oneTimeSecrets} (kind, digest, subject, payload, expires_at) values ($1, $2, $3, $4, ${later(storageTime(6), "$5")})`,
    ),
    issueWithin: statement("one_time_issue_within", `call ${issueOneTime}($1, $2, $3, $4, $5, $6, $7, $8)`),
    clear: statement("one_time_clear", `delete from ${oneTimeSecrets} where ${named} and expires_at <= ${now}`),
    read: statement("one_time_read", `select payload from ${oneTimeSecrets} where ${named} and expires_at > ${now}`),
    consume: statement(
      "one_time_consume",
      `delete from ${oneTimeSecrets} where ${named} and expires_at > ${now} returning payload`,
    ),
    revoke: statement(
      "one_time_revoke",
      `delete from ${oneTimeSecrets} where kind = $1 and subject = $2 and expires_at > ${now}`,
    ),
    sweep: statement(
      "one_time_sweep",
      `delete from ${oneTimeSecrets} where expires_at <= ${storageTime(2)} order by expires_at limit $1`,
    ),
  };
}
