import { earlier, addMilliseconds } from "../expressions.ts";
import { type Functions, procedure } from "../migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";

export const auditProcedures: Functions = {
  name: "audit",
  number: 2,
  statements: (tables) => [settleTalliesProcedure(tables), sweepAuditProcedure(tables)],
};

/** Turns completed tallies into events and answers their number. A concurrent attempt waits and starts a new tally. */
function settleTalliesProcedure({ settleTallies }: Tables): string {
  const details =
    "type, request_id, outcome, app_key_id, actor_id, subject_id, address, app_names, class_name, macro_name, provider_name, changes, at, since, attempts";
  return procedure(
    settleTallies,
    "age double, most bigint, ahead double",
    `declare settled bigint default 0;
      for tally in (
        select \`key\` from ${own.auditTallies} where since <= ${earlier(addMilliseconds("now(6)", "ahead"), "age")} order by since limit most for update skip locked
      ) do
        insert into ${own.audit} (${details}) select ${details} from ${own.auditTallies} where \`key\` = tally.\`key\`;
        delete from ${own.auditTallies} where \`key\` = tally.\`key\`;
        set settled = settled + 1;
      end for;
      select settled as row_count;`,
  );
}

/**
 * Deletes the oldest events, by sequence, and answers their number. An index by time would slow down every log-in.
 * Saves the last issued sequence number, which would be lost with the last event.
 */
function sweepAuditProcedure({ sweepAudit }: Tables): string {
  return procedure(
    sweepAudit,
    "age double, most bigint, ahead double",
    `declare highest bigint default (select max(sequence) from ${own.audit});
      declare swept bigint;
      delete from ${own.audit}
      where sequence <= (select max(sequence) from (select sequence from ${own.audit} order by sequence limit most) oldest)
        and at <= ${earlier(addMilliseconds("now(6)", "ahead"), "age")};
      set swept = row_count();
      if swept > 0 then
        update ${own.settings} set last_audit = greatest(last_audit, highest);
      end if;
      select swept as row_count;`,
  );
}
