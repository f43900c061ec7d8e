import { setImmediate as turn } from "node:timers/promises";
import type { Run } from "../connection.ts";
import type { ReadTable } from "./archived-table.ts";

/** Statements that the database has before it while lines are worked on. */
const statementsAhead = 2;

/**
 * The lines of a table in their order, some at a time, and never none. The next ones are under way while some are worked on: to
 * that end, the connection has its turn again and again. Lines come from the database as one text for a span, because a row of its own for each
 * would cost the driver more than the database.
 */
export async function* readLines(run: Run, table: ReadTable): AsyncGenerator<string[]> {
  const text = linesText(table);
  const answers = readAhead(readRanges(run, table), statementsAhead, (ranges) =>
    run<{ readonly lines: string }>({
      text,
      values: [ranges.map(({ first }) => first), ranges.map(({ last }) => last)],
    }),
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

/** Asks for each item, and gives the answers in their order; so many are asked for while one is worked on. */
async function* readAhead<Item, Answer>(
  items: AsyncIterable<Item>,
  most: number,
  ask: (item: Item) => Promise<Answer>,
): AsyncGenerator<Answer> {
  const underWay: Promise<Answer>[] = [];
  for await (const item of items) {
    const answer = ask(item);
    // Whoever stops early does not await it.
    answer.catch(() => {});
    underWay.push(answer);
    if (underWay.length > most) yield await (underWay.shift() as Promise<Answer>);
  }
  for (const answer of underWay) yield await answer;
}

/** Neighbours in a table, by their keys. */
interface KeyRange {
  readonly first: string;
  readonly last: string;
}

interface RangeSize {
  /** No further row behind so many bytes. */
  readonly bytes: number;
  /** Rows at most. */
  readonly rows: number;
  /** Spans that one statement asks for. */
  readonly atOnce: number;
}

/** What is put together as one text is small enough for memory that the database has used just before: new memory costs as much as the text. */
const usual: RangeSize = { bytes: 131_072, rows: 250, atOnce: 8 };
/** Of rows that are all looked at for each span. */
const fewer: RangeSize = { bytes: 1_048_576, rows: 2_000, atOnce: 1 };
/** Rows that are cut by one statement, if they are small. */
const rowsAtOnce = 16_000;

/** A whole table as spans, some at a time, and never none. How large rows are is looked at before any is written out. */
async function* readRanges(run: Run, table: ReadTable): AsyncGenerator<KeyRange[]> {
  const size = table.key.isExpression === true ? fewer : usual;
  const text = rangesText(table, size);
  const ask = (after: string | null) => {
    const answer = run<KeyRange>({ text, values: [after] });
    // Whoever stops early does not await it.
    answer.catch(() => {});
    return answer;
  };
  for (let next = ask(null); ; ) {
    const { rows } = await next;
    const end = rows.at(-1);
    if (end === undefined) return;
    next = ask(end.last);
    for (let start = 0; start < rows.length; start += size.atOnce) yield rows.slice(start, start + size.atOnce);
  }
}

/**
 * The spans of the rows behind a key (1), or of the first ones. One is looked for behind the other: to number all rows, or add up what they
 * take, would last four times as long.
 */
function rangesText(table: ReadTable, most: RangeSize): string {
  const { column, type } = table.key;
  return `with recursive span as (
      select 1 as number, next.* from ${nextRange(table, most, `$1::${type} is null or ${column} > $1::${type}`)} next
      union all
      select span.number + 1, next.* from span, lateral ${nextRange(table, most, `${column} > span.last`)} next
      where span.last is not null and span.number < ${rowsAtOnce / most.rows}
    )
    select first::text, last::text from span where last is not null`;
}

/** The first of the rows for which a condition holds, without a key if there is none. They are added up one by one only if they are too large together. */
function nextRange({ rows, key: { column }, size }: ReadTable, most: RangeSize, condition: string): string {
  const sizes = (where: string) => `select ${column} as key, ${size} as size from ${rows} r where ${where}`;
  return `(
      select together.first, case when together.size <= ${most.bytes} then together.last else (
          select max(key) from (
            select key, sum(size) over (order by key rows unbounded preceding) - size as before from (${sizes(`${column} between together.first and together.last`)}) one
          ) added where before < ${most.bytes}
        ) end as last
      from (select min(key) as first, max(key) as last, sum(size) as size from (${sizes(condition)} order by ${column} limit ${most.rows}) one) together
    )`;
}
