import { messageWindow } from "@sallyport/storage";
import type { AppKeyStatements } from "../../../sql-app-key-repository.ts";
import { auditDetails, type AuditStatements } from "../../../sql-audit-repository.ts";
import type { ChannelStatements, CipherBlockStatements } from "../../../sql-channel-repository.ts";
import { modelStatements } from "../../../sql-model-repository.ts";
import { listStatements, seatBound, type SessionStatements } from "../../../sql-session-repository.ts";
import { settingsStatements } from "../../../sql-settings-repository.ts";
import type { ThrottleStatements } from "../../../sql-throttle-repository.ts";
import { insertIgnoringDuplicates, statement } from "../../../sql-runner.ts";
import { noNumbers } from "../functions/channels.ts";
import { lockRules, takenSeats } from "../functions/open-session.ts";
import { lockStatements } from "../objects/mariadb-lock-repository.ts";
import { writingStatements } from "../objects/write-lock.ts";
import type { Tables } from "../tables.ts";
import { accountStatements } from "./account-statements.ts";
import { admissionStatements } from "./admission-statements.ts";
import { recordStatements } from "./record-statements.ts";
import { earlier, epochMilliseconds, storageTime, textsOf } from "../expressions.ts";

export type Statements = ReturnType<typeof statementsOf>;

export function statementsOf(tables: Tables) {
  return {
    accounts: accountStatements(tables),
    admission: admissionStatements(tables),
    appKeys: appKeyStatements(tables),
    audit: auditStatements(tables),
    channels: channelStatements(tables),
    // Writers lock the row until they end, so that a read stamp is never ahead of the committed data.
    watermark: statement("change_watermark", `select stamp as watermark from ${tables.objectSeries}`),
    cipherBlocks: cipherBlockStatements(tables),
    settings: settingsStatements(tables),
    locks: lockStatements(tables),
    model: modelStatements(tables),
    records: recordStatements(tables),
    sessions: sessionStatements(tables),
    throttle: throttleStatements(tables),
    writing: writingStatements(tables),
  };
}

function appKeyStatements({ appKeys }: Tables): AppKeyStatements {
  return {
    create: insertIgnoringDuplicates(
      "app_key_create",
      `insert into ${appKeys} (id, name, digest, app_names, origins, return_addresses) values ($1, $2, $3, $4, $5, $6)`,
    ),
    listsOrigin: statement(
      "app_key_lists_origin",
      `select 1 from ${appKeys} k where k.enabled and exists (
        select 1 from json_table(k.origins, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$')) listed where listed.value = $1
      ) limit 1`,
    ),
  };
}

function auditStatements({ audit, auditTallies, settleTallies, sweepAudit }: Tables): AuditStatements {
  const values = `$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12`;
  return {
    append: statement(
      "audit_append",
      `insert into ${audit} (${auditDetails}, at) values (${values}, ${storageTime(13)})`,
    ),
    tally: statement(
      "audit_tally",
      `insert into ${auditTallies} (${auditDetails}, at, since, attempts, \`key\`) values (${values}, ${storageTime(13)}, ${storageTime(13)}, 1, $14)
      on duplicate key update attempts = attempts + 1, at = value(at)`,
    ),
    settle: statement("audit_settle", `call ${settleTallies}($1, $2, $3)`),
    read: statement(
      "audit_read",
      `select sequence, ${epochMilliseconds("at")} as at, ${epochMilliseconds("coalesce(since, at)")} as since, attempts, ${auditDetails}
      from ${audit} where sequence > $1 order by sequence limit $2`,
    ),
    sweep: statement("audit_sweep", `call ${sweepAudit}($1, $2, $3)`),
  };
}

function channelStatements({ acceptNumber, channels, reserveNumbers }: Tables): ChannelStatements {
  return {
    reserveOut: statement("channel_reserve", `call ${reserveNumbers}($1, $2)`),
    acceptIn: statement("channel_accept", `call ${acceptNumber}($1, cast($2 as unsigned))`),
    checkNumber: statement(
      "channel_judge",
      `select highest >= ${messageWindow} and cast($2 as unsigned) <= highest - ${messageWindow} as old from ${channels} where session = $1`,
    ),
  };
}

function cipherBlockStatements({ cipherBlocks, registerBlocks }: Tables): CipherBlockStatements {
  const now = storageTime(4);
  return {
    registerNew: insertIgnoringDuplicates(
      "block_register_new",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at) values ($1, $2, $3, 1, ${now})`,
    ),
    prepare: statement(
      "block_prepare",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at)
      select unhex(listed.value), $2, $3, 0, ${now} from ${textsOf(1)} listed
      on duplicate key update uses = uses`,
    ),
    register: statement("block_register", `call ${registerBlocks}($1, $2, $3, $4, $5, $6)`),
    sweep: statement(
      "block_sweep",
      `delete from ${cipherBlocks}
      where key_id not in (select value from ${textsOf(1)} accepted) and first_used_at <= ${earlier(now, "$2")}
      limit $3`,
    ),
  };
}

function sessionStatements(tables: Tables): SessionStatements {
  const { changeOnBasis, channels, openSessionFrom, sessionNames, sessions } = tables;
  const live = `expires_at > ${storageTime(2)} as live`;
  const endAll = (column: string) =>
    `delete from ${sessions} where ${column} = $1 and not digest <=> $3 returning ${live}`;
  const all = statement(
    "session_count",
    `select count(*) as count from ${sessions} where expires_at > ${storageTime(1)}`,
  );
  const seats = { name: "$2", kind: "$3", now: storageTime(1) };
  const open = statement(
    "session_open",
    `call ${openSessionFrom}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
  );
  return {
    open,
    openSecure: [
      open,
      statement(
        "channel_open",
        `insert into ${channels} (session, wrapped_key, iv_prefix, accepted)
        select digest, $21, $22, ${noNumbers} from ${sessions} where digest = $1`,
      ),
    ],
    lockRules: statement("session_lock_rules", lockRules(tables)),
    endListed: statement(
      "session_end_listed",
      `delete from ${sessions} where digest in (select unhex(value) from ${textsOf(1)} listed) returning ${live}`,
    ),
    endOne: statement("session_end", `delete from ${sessions} where digest = $1 returning ${live}`),
    endAllOfUser: statement("session_end_user", endAll("user_id")),
    endAllOfCustomAccount: statement("session_end_custom", endAll("custom_account")),
    endAllOfLink: statement("session_end_link", endAll("link_id")),
    renew: statement(
      "session_renew",
      `update ${sessions} set secret_version = if(custom_account is null, $3, secret_version), custom_version = if(custom_account is null, custom_version, $3)
      where digest = $1 and expires_at > ${storageTime(2)}`,
    ),
    changeAppNames: statement("session_app_names", `call ${changeOnBasis}($6, $1, $2, $3, $4, $5)`),
    ...listStatements(tables, {
      now: storageTime(3),
      milliseconds: epochMilliseconds,
      other: "not digest <=> $5",
      named: `digest in (select s.session from ${sessionNames} s where s.app_name = $6)`,
    }),
    count: {
      number: { all, seats: statement("session_count_seats", takenSeats(tables, seats)) },
      // Openings under a limit count all sessions.
      bound: {
        all,
        seats: statement(
          "session_bound_seats",
          `select coalesce(${seatBound(tables, seats)}, (${takenSeats(tables, seats)})) as count`,
        ),
      },
    },
    sweep: statement(
      "session_sweep",
      `delete from ${sessions} where expires_at <= ${storageTime(2)} order by expires_at limit $1 returning 1 as \`all\``,
    ),
  };
}

function throttleStatements({ attemptThrottle, failThrottle, passThrottle, throttle }: Tables): ThrottleStatements {
  return {
    attempt: statement("throttle_attempt", `call ${attemptThrottle}($1, $2)`),
    fail: statement("throttle_fail", `call ${failThrottle}($1, $2)`),
    pass: statement("throttle_pass", `call ${passThrottle}($1, $2, $3, $4, $5, $6, $7, $8, $9)`),
    sweep: statement(
      "throttle_sweep",
      `delete from ${throttle} where forget_at <= ${storageTime(2)} order by forget_at limit $1`,
    ),
  };
}
