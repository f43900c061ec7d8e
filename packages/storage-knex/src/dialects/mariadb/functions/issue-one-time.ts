import { later } from "../statements/storage-time.ts";
import type { Functions } from "../migrations/migration.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/** The gate that those hold who give out secrets under a limit for all, and how many subjects share by a checksum. */
const gateOfAllSecrets = -1;
const subjectGates = 256;

export const issueOneTimeProcedure: Functions = {
  name: "issue_one_time",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Keeps a secret if there is room, of its subject and in all, and answers what became of it. Those who come where room is scarce do so one after the other:
 * each holds the gates that count. While more room is free than there are connections, they come side by side, sharing the gates: whoever does not
 * see another's yet is one of those who are under way with it. Times are milliseconds; `ahead` is the offset of the clock; a limit of 0 is none.
 */
function definition({ issueOneTime }: Tables): string {
  return procedure(
    issueOneTime,
    `secret_kind varchar(32), secret_digest binary(32), secret_subject varchar(200), secret_payload longtext, lifetime double, ahead double,
    subject_limit bigint, all_limit bigint`,
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare held integer;
      declare good bigint;
      ${entering("subject_limit", `crc32(concat(secret_kind, ' ', secret_subject)) % ${subjectGates}`, counted("kind = secret_kind and subject = secret_subject", "subject_limit"), "subjectFull")}
      ${entering("all_limit", String(gateOfAllSecrets), counted("kind = secret_kind", "all_limit"), "full")}
      delete from ${own.oneTimeSecrets} where kind = secret_kind and digest = secret_digest and expires_at <= clock;
      insert into ${own.oneTimeSecrets} (kind, digest, subject, payload, expires_at)
      values (secret_kind, secret_digest, secret_subject, secret_payload, ${later("clock", "lifetime")});
      select 'issued' as outcome;`,
  );
}

/** Counts those that are good, no more than the limit has: by a statement of its own, as a subquery of a condition would hold what it reads. */
function counted(which: string, limit: string): string {
  return `select count(*) into good from (select 1 from ${own.oneTimeSecrets} where ${which} and expires_at > clock limit ${limit}) counted;`;
}

/** Holds the gate, shared where there is much room, or answers that there is none. What has changed meanwhile is told like a deadlock: the same call can succeed. */
function entering(limit: string, gate: string, count: string, full: string): string {
  const isRoomy = `good + @@max_connections < ${limit}`;
  const holding = `select gate into held from ${own.oneTimeGates} where gate = ${gate}`;
  return `if ${limit} > 0 then
        ${count}
        if ${isRoomy} then
          ${holding} lock in share mode;
          ${count}
          if not (${isRoomy}) then
            signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Meanwhile there is not so much room for secrets.';
          end if;
        else
          ${holding} for update;
          ${count}
          if good >= ${limit} then
            select '${full}' as outcome;
            leave work;
          end if;
        end if;
      end if;`;
}
