import { earlier, later } from "../statements/storage-time.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/** Makes events of tallies that are over; answers how many. Who counts meanwhile waits, and begins a new one. */
export function settleTalliesProcedure({ settleTallies }: Tables): string {
  const details =
    "type, request_id, outcome, app_key_id, user_id, address, app_names, class_name, macro_name, provider_name, at, since, attempts";
  return procedure(
    settleTallies,
    "age double, most bigint, ahead double",
    `declare settled bigint default 0;
      for tally in (
        select \`key\` from ${own.auditTallies} where since <= ${earlier(later("now(6)", "ahead"), "age")} order by since limit most for update skip locked
      ) do
        insert into ${own.audit} (${details}) select ${details} from ${own.auditTallies} where \`key\` = tally.\`key\`;
        delete from ${own.auditTallies} where \`key\` = tally.\`key\`;
        set settled = settled + 1;
      end for;
      select settled as row_count;`,
  );
}
