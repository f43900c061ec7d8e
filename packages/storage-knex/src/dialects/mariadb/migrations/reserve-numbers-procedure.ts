import { ownTables as own, type Tables } from "../tables.ts";
import { procedure } from "./procedure.ts";

/** Answers the first of the numbers; nothing if there is no channel. */
export function reserveNumbersProcedure({ reserveNumbers }: Tables): string {
  return procedure(
    reserveNumbers,
    "channel binary(32), numbers bigint",
    `update ${own.channels} set next_out = next_out + numbers where session = channel;
      select next_out - numbers as first from ${own.channels} where session = channel;`,
  );
}
