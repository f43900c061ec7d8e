import { setImmediate as turn } from "node:timers/promises";
import type { Run } from "../migrations/migrator.ts";
import type { ReadTable } from "./archived-table.ts";
import { readAhead } from "./read-ahead.ts";
import { readSpans } from "./read-spans.ts";

/** Statements that the database has before it while lines are worked on. */
const statementsAhead = 2;

/**
 * The lines of a table in their order, some at a time, and never none. The next ones are under way while some are worked on: to
 * that end, the connection has its turn again and again. Lines come from the database as one text for a span, because a row of its own for each
 * would cost the driver more than the database.
 */
export async function* readLines(run: Run, table: ReadTable): AsyncGenerator<string[]> {
  const text = linesText(table);
  const answers = readAhead(readSpans(run, table), statementsAhead, (spans) =>
    run<{ readonly lines: string }>({ text, values: [spans.map(({ first }) => first), spans.map(({ last }) => last)] }),
  );
  for await (const { rows } of answers) {
    for (const { lines } of rows) {
      // Whoever works on the lines may not give the driver a turn before he is through.
      await turn();
      yield lines.split("\n");
    }
  }
}

/**
 * A text for each span, from the keys 1 to the keys 2. Lines are put together in the order in which the rows come, which is that of their
 * keys: to ask for it again would sort them.
 */
function linesText({ rows, key: { column, type }, line }: ReadTable): string {
  return `select (
      select string_agg(${line}, E'\\n') from (select * from ${rows} r where ${column} between span.first and span.last order by ${column}) part
    ) as lines
    from unnest($1::${type}[], $2::${type}[]) as span (first, last)`;
}
