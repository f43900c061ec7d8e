import { setImmediate as turn } from "node:timers/promises";
import { largestPart } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { ReadTable } from "./archived-table.ts";

/** Lines that are worked on before the connection has its turn again. */
const linesOfTurn = 250;

interface PartRow {
  readonly last: string | null;
  readonly lines: string;
}

/**
 * The lines of a table in their order, some at a time, and never none. The next ones are under way while some are worked on: to
 * that end, the connection has its turn again and again. Lines come from the database as one text, because a row of its own would
 * cost the driver more than the database.
 */
export async function* readLines(run: Run, table: ReadTable): AsyncGenerator<string[]> {
  const text = partOf(table);
  const ask = (after: string | null) => {
    const answer = run<PartRow>({ text, values: [after] });
    // Whoever stops early does not await it.
    answer.catch(() => {});
    return answer;
  };
  for (let next = ask(null); ; ) {
    const { rows } = await next;
    const [{ last, lines }] = rows as [PartRow];
    if (last === null) return;
    next = ask(last);
    const all = lines.split("\n");
    for (let start = 0; start < all.length; start += linesOfTurn) {
      // Whoever works on the lines may not give the driver a turn before he is through.
      await turn();
      yield all.slice(start, start + linesOfTurn);
    }
  }
}

/**
 * The rows behind a key (1), or the first. How large they are is looked at before any of them is written out. Lines are put together
 * in the order in which the rows come, which is that of their keys: to ask for it again would sort them.
 */
function partOf({ rows, key: { column, type }, size, line }: ReadTable): string {
  return `select max(${column})::text as last, string_agg(${line}, E'\\n') as lines
    from (
      select *, sum(taken) over (order by ${column} rows unbounded preceding) - taken as before
      from (
        select *, ${size} as taken from ${rows} r where $1::${type} is null or ${column} > $1::${type} order by ${column} limit ${largestPart.records}
      ) part
    ) bounded
    where before < ${largestPart.characters}`;
}
