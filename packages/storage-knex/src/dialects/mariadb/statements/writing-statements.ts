import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export interface WritingStatements {
  /** Gives `stamp` and `number`, the last of each, and keeps them until the transaction ends. Numbers that were taken back count. */
  readonly takeTurn: Statement;
  /** 1 offset of the clock. Gives `generation` and `now`. */
  readonly moment: Statement;
  /** Keeps the last stamp and the number of the last object. As text: the number of a sequence cannot be a parameter. */
  readonly count: (stamp: number, number: number) => string;
}

export function writingStatements({ objectNumbers, objectSeries, settings }: Tables): WritingStatements {
  return {
    takeTurn: statement(
      "writing_take_turn",
      `select stamp, greatest(number, (select next_not_cached_value - 1 from ${objectNumbers})) as number from ${objectSeries} for update`,
    ),
    moment: statement(
      "writing_moment",
      `select model_generation as generation, ${epochMilliseconds(storageTime(1))} as now from ${settings}`,
    ),
    count: (stamp, number) =>
      `update ${objectSeries} set stamp = ${stamp}, number = coalesce(setval(${objectNumbers}, ${number}), ${number})`,
  };
}
