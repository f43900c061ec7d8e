import { setImmediate as turn } from "node:timers/promises";
import type { Run } from "../migrations/migrator.ts";
import type { ReadTable } from "./archived-table.ts";

/** What is read at once: at most so many rows, and so many bytes unless one row has more. */
const mostRows = 2_000;
const mostBytes = 1_048_576;

interface PartRow {
  readonly last: string | null;
  readonly lines: string;
}

/**
 * The lines of a table in their order, part by part. The next part is under way while one is worked on. Lines come as one
 * text, because a row of its own would cost the driver more than the database.
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
    // The driver sends it in its next turn, which whoever works on the lines may not give it before he is through.
    await turn();
    yield lines.split("\n");
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
        select *, ${size} as taken from ${rows} r where $1::${type} is null or ${column} > $1::${type} order by ${column} limit ${mostRows}
      ) part
    ) bounded
    where before < ${mostBytes}`;
}
