import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export interface WritingStatements {
  /** Gives `stamp` and `number`, the last of each, and keeps them until the transaction ends. */
  readonly takeTurn: Statement;
  /** 1 offset of the clock. Gives `generation` and `now`. */
  readonly moment: Statement;
  /** 1 last stamp, 2 number of the last object. */
  readonly count: Statement;
}

export function writingStatements({ objectSeries, settings }: Tables): WritingStatements {
  return {
    takeTurn: statement("writing_take_turn", `select stamp, number from ${objectSeries} for update`),
    moment: statement("writing_moment", `select model_generation as generation, ${epochMilliseconds(storageTime(1))} as now from ${settings}`),
    count: statement("writing_count", `update ${objectSeries} set stamp = $1, number = $2`),
  };
}
