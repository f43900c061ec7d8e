import { statement } from "../../../statement.ts";
import type { OneTimeStatements } from "../../../statements/one-time-statements.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export function oneTimeStatements({ issueOneTime, oneTimeSecrets }: Tables): OneTimeStatements {
  const named = "kind = $1::text and digest = $2::bytea";
  const now = storageTime(3);
  return {
    issue: statement(
      "one_time_issue",
      `insert into ${oneTimeSecrets} (kind, digest, subject, payload, expires_at)
      values ($1::text, $2::bytea, $3::text, $4::jsonb, ${storageTime(6)} + $5::float8 * interval '1 millisecond')
      on conflict (kind, digest) do nothing`,
    ),
    issueWithin: statement(
      "one_time_issue_within",
      `select ${issueOneTime}($1::text, $2::bytea, $3::text, $4::jsonb, $5::float8, $6::float8, $7::bigint, $8::bigint) as outcome`,
    ),
    clear: statement("one_time_clear", `delete from ${oneTimeSecrets} where ${named} and expires_at <= ${now}`),
    read: statement("one_time_read", `select payload from ${oneTimeSecrets} where ${named} and expires_at > ${now}`),
    consume: statement(
      "one_time_consume",
      `delete from ${oneTimeSecrets} where ${named} and expires_at > ${now} returning payload`,
    ),
    revoke: statement(
      "one_time_revoke",
      `delete from ${oneTimeSecrets} where kind = $1::text and subject = $2::text and expires_at > ${now}`,
    ),
    sweep: statement(
      "one_time_sweep",
      `delete from ${oneTimeSecrets} where ctid = any (array(
        select ctid from ${oneTimeSecrets} where expires_at <= ${storageTime(2)} order by expires_at limit $1::bigint for update skip locked
      ))`,
    ),
  };
}
