import { earlier, later } from "../statements/storage-time.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/**
 * Forgets events, the oldest by their sequence, because an index by time would cost every log-in something; answers how many. What
 * was given out last is kept: when the last event goes, nobody could tell.
 */
export function sweepAuditProcedure({ sweepAudit }: Tables): string {
  return procedure(
    sweepAudit,
    "age double, most bigint, ahead double",
    `declare highest bigint default (select max(sequence) from ${own.audit});
      declare swept bigint;
      delete from ${own.audit}
      where sequence <= (select max(sequence) from (select sequence from ${own.audit} order by sequence limit most) oldest)
        and at <= ${earlier(later("now(6)", "ahead"), "age")};
      set swept = row_count();
      if swept > 0 then
        update ${own.settings} set last_audit = greatest(last_audit, highest);
      end if;
      select swept as row_count;`,
  );
}
